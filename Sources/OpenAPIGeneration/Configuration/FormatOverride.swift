/// Applies the configured Swift types of formats.
///
/// The JSON type does not change: a string with the type `Int` stays a JSON string, with another format.
struct FormatOverride {
    private let formats: [String: TypeChoice]
    private let sink: DiagnosticSink
    /// The formats with a type of the user that the document has.
    private(set) var ownFormats = Set<String>()

    init(_ formats: [String: TypeChoice], _ sink: DiagnosticSink) {
        self.formats = formats
        self.sink = sink
    }

    mutating func apply(to root: Node) -> Node { apply(to: root, .object(.document)) }

    private mutating func apply(to node: Node, _ role: NodeRole) -> Node {
        let result = DocumentWalk(role).map(node) { child, role, _ in
            role == .value ? child : apply(to: child, role)
        }
        guard role.canBe(.schema), let format = node["format"], let name = format.string,
            let type = formats[name]
        else { return result }
        switch type {
        case .builtin(let type): return changed(result, to: type, at: format.position)
        case .own(let type):
            ownFormats.insert(name)
            // The type of a JSON Pointer takes precedence.
            return node[OwnType.keyword] == nil ? result.marked(as: type, at: format.position) : result
        }
    }

    private func changed(_ schema: Node, to type: BuiltinType, at position: SourcePosition) -> Node {
        var own = schema["type"]?.string
        if let types = schema["type"]?.array {
            own = types.compactMap(\.string).first { $0 != "null" }
        }
        let format: String?
        switch (own, type.type) {
        case (_, nil): return schema.removing("type").removing("format")
        case ("string"?, _): format = type.stringFormat
        case (nil, let wanted?):
            return changed(
                schema.setting("type", to: Node(value: .string(wanted), position: position)), to: type,
                at: position)
        case (let own?, let wanted?):
            format = own == wanted || (own == "integer" && wanted == "number") ? type.format ?? "" : nil
        }
        guard let format else {
            sink.warn(
                .configuration,
                "a JSON \(own ?? "value") cannot be a \(type.rawValue); the format keeps its default type",
                at: position)
            return schema
        }
        // The configured type takes precedence over `contentEncoding`.
        let schema = schema.removing("contentEncoding")
        guard !format.isEmpty else { return schema.removing("format") }
        return schema.setting("format", to: Node(value: .string(format), position: position))
    }
}
