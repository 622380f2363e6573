/// Schemas that are not in the document: conjunctions and restricted copies.
enum SyntheticSchema {
    /// The `allOf` of `parts`, as a schema at `pointer`.
    static func allOf(
        _ parts: [RawSchema.Part], at pointer: JSONPointer, position: SourcePosition
    ) -> RawSchema.Part {
        let members = Node(value: .array(parts.map(\.node)), position: position)
        return RawSchema.Part(node: object([("allOf", members)], at: position), pointer: pointer)
    }

    /// `node` restricted to one type.
    static func narrowed(_ node: Node, to type: String) -> Node {
        let type = Node(value: .string(type), position: node.position)
        return object(
            node.members.filter { $0.key != "type" && $0.key != "nullable" }.map { ($0.key, $0.value) }
                + [("type", type)],
            at: node.position)
    }

    static func object(_ members: [(String, Node)], at position: SourcePosition) -> Node {
        Node(
            value: .object(
                Node.Object(
                    members: members.map {
                        Node.Object.Member(key: $0.0, keyPosition: $0.1.position, value: $0.1)
                    })),
            position: position)
    }
}
