extension SchemaTranslator {
    /// Whether a schema describes more than text: an object, an array, a number or a boolean. Its own errors are not
    /// reported: it is read only where nothing is generated from it.
    func isTyped(_ node: Node) -> Bool {
        var seen = Set<SourcePosition>()
        return isTyped(node, &seen)
    }

    private func isTyped(_ node: Node, _ seen: inout Set<SourcePosition>) -> Bool {
        guard let node = try? resolver.final(node, at: .root).node, seen.insert(node.position).inserted,
            seen.count < 1_000
        else { return false }
        let types = (node["type"].map { $0.array ?? [$0] } ?? []).compactMap(\.string)
        if !types.isEmpty { return types.contains { $0 != "string" && $0 != "null" } }
        if ["properties", "items", "additionalProperties"].contains(where: { node[$0] != nil }) {
            return true
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            for part in node[keyword]?.array ?? [] where isTyped(part, &seen) { return true }
        }
        return false
    }
}
