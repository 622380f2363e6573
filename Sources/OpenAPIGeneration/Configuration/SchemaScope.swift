/// The schemas to which a key of the configuration applies.
enum SchemaScope: Sendable {
    case none
    /// The whole document.
    case all
    /// The schemas at JSON Pointers and the types that they use, with the positions of the keys.
    case schemas([String: SourcePosition])
}

extension SchemaScope {
    /// The scope with each JSON Pointer at a schema that is only a `$ref` replaced by that of the target.
    func followed(by resolver: ReferenceResolver) -> SchemaScope {
        guard case .schemas(let places) = self else { return self }
        var result = [String: SourcePosition]()
        for (text, position) in places.sorted(by: { $0.key < $1.key }) {
            result[resolver.onlyReferenced(at: text, position)?.text ?? text] = position
        }
        return .schemas(result)
    }

    /// The declared types in the scope, each with the types that it uses.
    ///
    /// - Parameter check: Takes the types of one pointer, and its text and position.
    func types(
        in graph: TypeGraph, components: [APIDocument.Component], sink: DiagnosticSink,
        check: (Set<JSONPointer>, String, SourcePosition) -> Void = { _, _, _ in }
    ) -> Set<JSONPointer> {
        let pointers: [String: SourcePosition]
        switch self {
        case .none: return []
        case .all: return Set(graph.declarations.keys)
        case .schemas(let places): pointers = places
        }
        var schemas = [ExactText: Schema]()
        for (pointer, declaration) in graph.declarations {
            schemas[pointer.text] = Schema(shape: .declared(pointer), position: declaration.position)
        }
        for component in components { schemas[component.pointer.text] = component.schema }
        var result = Set<JSONPointer>()
        for (text, position) in pointers.sorted(by: { $0.key < $1.key }) {
            let types = graph.reach(schemas[text].map { [$0] } ?? [])
            if types.isEmpty {
                sink.warn(.configuration, "no generated type at \"\(text)\"", at: position)
            } else {
                check(types, text, position)
            }
            result.formUnion(types)
        }
        return result
    }
}
