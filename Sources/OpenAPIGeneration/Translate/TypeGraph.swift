/// Which declared types need which.
struct TypeGraph {
    let declarations: [JSONPointer: Declaration]

    /// The schemas that a declared type holds.
    func parts(of pointer: JSONPointer) -> [Schema] {
        switch declarations[pointer]?.kind {
        case .object(let object): object.properties.map(\.schema) + (object.additional.map { [$0] } ?? [])
        case .union(let union): union.branches.map(\.schema)
        case .enumeration, .opaque, nil: []
        }
    }

    /// The declared type that a schema's value is or holds, through arrays and maps too.
    static func target(_ schema: Schema) -> JSONPointer? {
        switch schema.shape {
        case .declared(let pointer): pointer
        case .array(let inner), .map(let inner): target(inner)
        case .any, .boolean, .string, .integer, .number: nil
        }
    }

    /// The declared type whose value stands inside this one's, not behind an array or a map.
    static func directTarget(_ schema: Schema) -> JSONPointer? {
        if case .declared(let pointer) = schema.shape { return pointer }
        return nil
    }

    /// All types that `roots` need, themselves included.
    func reach(_ roots: [Schema]) -> Set<JSONPointer> {
        var result: Set<JSONPointer> = []
        var waiting = roots.compactMap { Self.target($0) }
        while let next = waiting.popLast() {
            guard result.insert(next).inserted else { continue }
            waiting += parts(of: next).compactMap { Self.target($0) }
        }
        return result
    }
}

/// Which way the values of a type travel.
enum Direction {
    case request, response, both
}

/// The direction of each declared type: what only requests reach is only written, what only responses reach is
/// only read, and what no operation reaches can do both.
struct TypeDirections {
    private let sent: Set<JSONPointer>
    private let received: Set<JSONPointer>

    init(_ operations: [Operation], events: [EventSet], components: [Schema], graph: TypeGraph) {
        var requests: [Schema] = []
        // A webhook's body is received, as a response is.
        var responses = events.flatMap(\.events).compactMap(\.content?.schema)
        for operation in operations {
            requests += operation.parameters.map(\.schema)
            if let body = operation.body { requests.append(body.content.schema) }
            for response in operation.responses {
                if let content = response.content { responses.append(content.schema) }
                responses += response.headers.map(\.schema)
            }
        }
        let sent = graph.reach(requests)
        let received = graph.reach(responses)
        // What no operation reaches does both, and so has all that it holds.
        let others = components.filter { schema in
            TypeGraph.target(schema).map { !sent.contains($0) && !received.contains($0) } ?? false
        }
        let unreached = graph.reach(others)
        self.sent = sent.union(unreached)
        self.received = received.union(unreached)
    }

    /// All types that operations reach.
    var all: Set<JSONPointer> { sent.union(received) }

    subscript(pointer: JSONPointer) -> Direction {
        switch (sent.contains(pointer), received.contains(pointer)) {
        case (true, false): .request
        case (false, true): .response
        default: .both
        }
    }
}
