/// Resolves the operations of links.
struct LinkReader {
    let operations: [Operation]
    let sink: DiagnosticSink

    private let byID: [ExactText: JSONPointer]
    private let places: Set<ExactText>

    init(_ operations: [Operation], sink: DiagnosticSink) {
        self.operations = operations
        self.sink = sink
        byID = Dictionary(
            operations.compactMap { operation in operation.id.map { (ExactText($0), operation.pointer) } },
            uniquingKeysWith: { first, _ in first })
        places = Set(texts: operations.map(\.pointer.text))
    }

    /// The resolved links of an operation, by status and name. Others are reported.
    func links(of operation: Operation) -> [Link] {
        var result: [Link] = []
        for response in operation.responses {
            for object in response.links {
                guard let target = target(object) else { continue }
                let parameters = (object.node["parameters"]?.members ?? []).map {
                    (name: $0.key, value: Self.text($0.value))
                }
                result.append(
                    Link(
                        name: object.name, status: response.status, target: target,
                        parameters: parameters.sorted { $0.name < $1.name },
                        body: object.node["requestBody"].map { Self.text($0) }))
            }
        }
        return result
    }

    private func target(_ link: LinkObject) -> JSONPointer? {
        if let id = link.node["operationId"]?.text {
            if let place = byID[id] { return place }
            return lost(link, "no such operation \"\(id)\"")
        }
        guard let reference = link.node["operationRef"]?.string else {
            return lost(link, "\"operationId\" or \"operationRef\" is required")
        }
        guard reference.hasPrefix("#/"), let fragment = PercentCoding.decoded(reference.dropFirst()),
            places.contains("#" + fragment)
        else { return lost(link, "\"\(reference)\" is not an operation of this document") }
        return operations.first { $0.pointer.text.isSame(as: "#" + fragment) }?.pointer
    }

    private func lost(_ link: LinkObject, _ reason: String) -> JSONPointer? {
        sink.warn(
            .unsupportedOperation, "the link \"\(link.name)\" cannot be resolved: \(reason)",
            at: link.position)
        return nil
    }

    private static func text(_ node: Node) -> String {
        switch node.value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text), .string(let text): text
        case .array: "a list"
        case .object: "an object"
        }
    }
}
