/// The direction of the values of a type: sent, received or both.
enum Direction {
    case request, response, both
    /// Only as the body of a form, part by part.
    case multipart

    /// The protocol of the runtime with this prefix. A union in a form supports both.
    func coding(_ prefix: String) -> String {
        switch self {
        case .request: prefix + "Encodable"
        case .response: prefix + "Decodable"
        case .both, .multipart: prefix + "Codable"
        }
    }
}

/// The direction of each declared type. Types used only in requests are encoded. Types used only in responses are
/// decoded. Types that no operation uses, and types that the configuration selects, support both.
struct TypeDirections {
    private let sent: Set<JSONPointer>
    private let received: Set<JSONPointer>
    private let unpruned: Set<JSONPointer>
    /// The multipart bodies, with the `encoding` of their properties.
    let multipart: [JSONPointer: [PropertyEncoding]]

    /// - Parameter both: Types that support both directions, with the types that they use.
    init(
        _ operations: [Operation], events: [EventSet], components: [Schema], graph: TypeGraph,
        both: Set<JSONPointer> = []
    ) {
        var requests: [Schema] = []
        // The body of a webhook is received, like a response.
        var responses = events.flatMap(\.events).compactMap(\.content?.schema)
        var forms = [JSONPointer: [PropertyEncoding]]()
        for operation in operations {
            requests += operation.parameters.map(\.schema)
            for content in operation.body?.contents ?? [] {
                if content.kind == .multipart, let target = content.schema.shape.target,
                    case .object(let object)? = graph.declarations[target]?.kind,
                    !object.properties.isEmpty || !object.patterns.isEmpty
                {
                    if forms[target] == nil { forms[target] = content.encoding }
                } else if content.kind != .multipart || content.schema.shape.values != nil {
                    requests.append(content.schema)
                }
            }
            for response in operation.responses {
                responses += response.contents.map(\.schema)
                if let stream = response.stream { responses.append(stream.schema) }
                responses += response.headers.map(\.schema)
            }
        }
        let received = graph.reach(responses)
        // A type that is also used elsewhere is not a multipart body: the raw body is used.
        let whole = graph.reach(requests).union(received)
        let nested = forms.keys.reduce(into: Set<JSONPointer>()) { all, form in
            all.formUnion(graph.reach(graph.parts(of: form)))
        }
        forms = forms.filter { !whole.contains($0.key) && !nested.contains($0.key) }
        for (form, encoding) in forms {
            requests += graph.parts(of: form)
            requests += encoding.flatMap(\.headers).map(\.schema)
        }
        let sent = graph.reach(requests)
        // Types that no operation uses support both, and so do the types that they contain.
        let others = components.filter { schema in
            TypeGraph.target(schema).map {
                !sent.contains($0) && !received.contains($0) && forms[$0] == nil
            } ?? false
        }
        let unreached = graph.reach(others)
        multipart = forms.filter { !unreached.contains($0.key) }
        self.sent = sent.union(unreached)
        self.received = received.union(unreached)
        unpruned = both.intersection(self.sent.union(self.received))
    }

    /// All types that operations use.
    var all: Set<JSONPointer> { sent.union(received).union(multipart.keys) }

    /// The direction that the type supports.
    subscript(pointer: JSONPointer) -> Direction { unpruned.contains(pointer) ? .both : used(pointer) }

    /// The direction in which operations use the type.
    func used(_ pointer: JSONPointer) -> Direction {
        if multipart[pointer] != nil { return .multipart }
        return switch (sent.contains(pointer), received.contains(pointer)) {
        case (true, false): .request
        case (false, true): .response
        default: .both
        }
    }
}
