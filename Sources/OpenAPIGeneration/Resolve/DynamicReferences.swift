/// Replaces `$dynamicRef` (JSON Schema 2020-12, section 8.2.3.2) by a reference to the nearest anchor of its file, which
/// is its meaning if it is not overridden, and marks it. ``DynamicTemplates`` overrides marked references when all files
/// are one tree.
struct DynamicReferences {
    /// The member that marks a reference that was dynamic. Its value is the name of the anchor.
    static let mark = "x-gateway-dynamic-anchor"

    /// Name → the places of its anchors, in document order.
    private let anchors: [ExactText: [JSONPointer]]

    /// The content of a file with dynamic references replaced.
    ///
    /// - Parameter role: The role of the file.
    static func resolved(_ root: Node, as role: NodeRole, version: OpenAPIVersion) -> Node {
        guard version != .v3_0, root.hasMember(where: { $0.key == "$dynamicRef" }) else { return root }
        let anchors = anchors(in: root, as: role)
        return DynamicReferences(anchors: anchors).rewritten(root, role, at: .root, base: .root)
    }

    /// Name → the places of its anchors, in document order.
    static func anchors(in root: Node, as role: NodeRole) -> [ExactText: [JSONPointer]] {
        var result = [ExactText: [JSONPointer]]()
        DocumentWalk(role).objects(in: root, at: .root, ()) { node, place, _ in
            if let name = node["$dynamicAnchor"]?.string { result[name, default: []].append(place) }
        }
        return result
    }

    /// - Parameter base: The schema with an `$id` around the place, to which references beginning with `#` are
    ///   relative.
    private func rewritten(_ node: Node, _ role: NodeRole, at place: JSONPointer, base: JSONPointer) -> Node {
        let base = node.identifier == nil ? base : place
        let result = DocumentWalk(role).map(node) { child, role, step in
            rewritten(child, role, at: place.appending(step), base: base)
        }
        guard let dynamic = node["$dynamicRef"], node["$ref"] == nil, let name = name(dynamic),
            let anchor = nearest(name, to: place, base: base)
        else { return result }
        let relative = JSONPointer(tokens: Array(anchor.tokens.dropFirst(base.tokens.count)))
        return result.removing("$dynamicRef")
            .setting("$ref", to: Node(value: .string(relative.reference), position: dynamic.position))
            .setting(Self.mark, to: Node(value: .string(name), position: dynamic.position))
    }

    /// The anchor that a dynamic reference within its own resource names.
    private func name(_ reference: Node) -> String? {
        guard let text = reference.string, text.utf8.first == UInt8(ascii: "#"),
            let name = PercentCoding.decoded(text.dropFirst()), anchors[name] != nil
        else { return nil }
        return name
    }

    private func nearest(_ name: String, to place: JSONPointer, base: JSONPointer) -> JSONPointer? {
        let known = (anchors[name] ?? []).filter { $0.isWithin(base) }
        var tokens = place.tokens
        while true {
            let around = JSONPointer(tokens: tokens)
            if let anchor = known.first(where: { $0.isWithin(around) }) { return anchor }
            guard around != base, tokens.popLast() != nil else { return nil }
        }
    }
}

extension JSONPointer {
    /// Whether it is the same place or one inside it.
    func isWithin(_ outer: JSONPointer) -> Bool {
        let (outer, inner) = (outer.tokens, tokens)
        return inner.count >= outer.count && zip(outer, inner).allSatisfy { $0.isSame(as: $1) }
    }
}
