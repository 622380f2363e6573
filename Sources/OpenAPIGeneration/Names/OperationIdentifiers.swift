/// The type name prefix of each operation: its `operationId`, otherwise method and path, in UpperCamelCase.
struct OperationIdentifiers {
    private var names = [JSONPointer: String]()

    /// In the order of the operations; on a collision, the later one gets a number.
    init(_ operations: [Operation], lock: NameLock, sink: DiagnosticSink) {
        var scope = NameScope(held: lock.operations)
        var positions = [ExactText: SourcePosition]()
        for operation in operations {
            if let id = operation.id {
                if let earlier = positions[id] {
                    sink.warn(
                        .nameCollision, "duplicate \"operationId\" \"\(id)\"", at: operation.position,
                        notes: [.init(message: "first defined here", position: earlier)])
                } else {
                    positions[id] = operation.position
                }
            }
            names[operation.pointer] = scope.claim(
                SwiftName.type(Self.words(operation)), for: operation.pointer.text)
        }
    }

    subscript(operation: Operation) -> String { names[operation.pointer] ?? "Operation" }

    /// The operationId, or the method and the path's words: `get books by bookId`.
    static func words(_ operation: Operation) -> String {
        if let id = operation.id { return id }
        var words = [operation.method.lowercased()]
        for segment in operation.path.split(separator: "/") {
            let isParameter = segment.utf8.first == UInt8(ascii: "{")
            if isParameter { words.append("by") }
            words.append(segment.filter { $0 != "{" && $0 != "}" })
        }
        return words.joined(separator: " ")
    }
}
