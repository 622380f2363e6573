/// Marks the objects that keep properties that the document does not define, as the configuration says.
struct KeptProperties {
    /// All declarations, with the objects marked.
    private(set) var declarations: [JSONPointer: Declaration]
    private let sink: DiagnosticSink
    /// The schemas that each JSON Pointer of the configuration selects.
    private var selections: [(objects: Set<JSONPointer>, place: String, position: SourcePosition)] = []

    init(_ document: APIDocument, _ scope: SchemaScope, sink: DiagnosticSink) {
        declarations = document.declarations
        self.sink = sink
        let graph = TypeGraph(declarations: document.declarations)
        let types = scope.types(in: graph, components: document.components, sink: sink) {
            types, place, position in
            let objects = types.filter { document.declarations[$0]?.dropsUnknown == true }
            selections.append((objects, place, position))
        }
        for pointer in types { declarations[pointer]?.keepUnknown() }
    }

    /// Reports JSON Pointers without effect. A multipart body is written part by part and keeps nothing.
    func check(_ directions: TypeDirections) {
        for (objects, place, position) in selections
        where objects.allSatisfy({ directions[$0] == .multipart }) {
            let reason = "it has no JSON object without \"additionalProperties\""
            sink.warn(
                .configuration, "\"unknownProperties\" has no effect on \"\(place)\": \(reason)",
                at: position)
        }
    }
}
