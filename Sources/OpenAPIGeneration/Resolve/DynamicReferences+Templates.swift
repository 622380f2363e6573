/// Expands templates: a schema that references a template and overrides its anchors becomes a copy of the template.
extension DynamicReferences {
    /// Maximum nesting of templates.
    private static let limit = 16

    /// The source and destination of a copy: the enclosing schemas with an `$id`.
    private struct Move {
        let old: JSONPointer
        let new: JSONPointer
        /// Anchor name → override by the schema that uses the template.
        let own: [ExactText: JSONPointer]
        let depth: Int
    }

    /// - Parameter base: The schema with an `$id` around the place, to which references beginning with `#` are
    ///   relative.
    mutating func applying(
        to result: Node, original: Node, at place: JSONPointer, base: JSONPointer
    ) -> Node {
        var own: [ExactText: JSONPointer] = [:]
        for member in original["$defs"]?.members ?? [] {
            if let name = member.value["$dynamicAnchor"]?.string {
                own[name] = place.appending("$defs").appending(member.key)
            }
        }
        if let name = original["$dynamicAnchor"]?.string { own[name] = place }
        guard !own.isEmpty else { return result }
        let move = Move(old: base, new: base, own: own, depth: 0)
        var result = result
        var parts = result["allOf"]?.array ?? []
        var hasChanged = false
        for (offset, item) in (original["allOf"]?.array ?? []).enumerated() where item.members.count == 1 {
            guard let text = template(item["$ref"], move, at: place) else { continue }
            parts[offset] = text
            hasChanged = true
        }
        if let text = template(original["$ref"], move, at: place) {
            result = result.removing("$ref")
            parts.insert(text, at: 0)
            hasChanged = true
        }
        guard hasChanged else { return result }
        return result.setting("allOf", to: Node(value: .array(parts), position: original.position))
    }

    /// The target of a reference, rewritten for another place. Nil if nothing in it depends on the place.
    private mutating func template(_ reference: Node?, _ move: Move, at place: JSONPointer?) -> Node? {
        guard move.depth < Self.limit, let text = reference?.string,
            let target = target(text, base: move.old), place.map({ isWithin(target, $0) }) != true
        else { return nil }
        let (node, steps) = root.descend(target.tokens)
        guard steps == target.tokens.count, let object = node.object else { return nil }
        let inner = Move(old: base(of: target), new: move.new, own: move.own, depth: move.depth + 1)
        var copy = Copy(move: inner)
        let before = applied
        var parts: [Node] = []
        var members: [Node.Object.Member] = []
        for member in object.members {
            switch member.key {
            // Identifiers and definitions of the template are not copied.
            case "$id", "$anchor", "$dynamicAnchor", "$schema", "$defs", "title": continue
            case "$ref":
                if let text = template(member.value, inner, at: nil) {
                    copy.isUsed = true
                    parts.append(text)
                    continue
                }
            case "allOf":
                for item in member.value.array ?? [] {
                    if item.members.count == 1, let text = template(item["$ref"], inner, at: nil) {
                        copy.isUsed = true
                        parts.append(text)
                    } else {
                        parts.append(copied(item, .object(.schema), &copy))
                    }
                }
                continue
            default: break
            }
            members.append(member)
        }
        let rest = Node(value: .object(.init(indexing: members)), position: node.position)
        let result = copiedMembers(of: rest, .object(.schema), &copy)
        guard copy.isUsed, !copy.hasFailed else {
            applied = before
            return nil
        }
        guard !parts.isEmpty else { return result }
        return result.setting("allOf", to: Node(value: .array(parts), position: node.position))
    }

    private struct Copy {
        let move: Move
        /// Whether a dynamic reference was redirected.
        var isUsed = false
        /// Whether a reference cannot be expressed at the new place.
        var hasFailed = false
    }

    private mutating func copied(_ node: Node, _ role: NodeRole, _ copy: inout Copy) -> Node {
        if let dynamic = node["$dynamicRef"], let name = name(dynamic), let anchor = copy.move.own[name] {
            copy.isUsed = true
            applied.insert(anchor)
            return replaced(node, by: anchor, base: copy.move.new, at: dynamic.position)
        }
        // Nested resources and anchors must be unique, so they cannot be copied.
        if node["$id"]?.string != nil || node["$anchor"]?.string != nil { copy.hasFailed = true }
        return copiedMembers(of: node, role, &copy)
    }

    private mutating func copiedMembers(of node: Node, _ role: NodeRole, _ copy: inout Copy) -> Node {
        let result = DocumentWalk(role).map(node) { child, role, _ in copied(child, role, &copy) }
        guard let reference = node["$ref"], let text = reference.string else { return result }
        return result.setting(
            "$ref", to: Node(value: .string(moved(text, &copy)), position: reference.position))
    }

    /// A reference, rewritten for the new place.
    private func moved(_ reference: String, _ copy: inout Copy) -> String {
        guard reference.utf8.first == UInt8(ascii: "#"), copy.move.old != copy.move.new else {
            return reference
        }
        guard let id = root.descend(copy.move.old.tokens).node["$id"]?.string else {
            copy.hasFailed = true
            return reference
        }
        return id.prefix { $0 != "#" } + reference
    }

    /// The place of the target of a reference. Nil if it is outside the document.
    private func target(_ reference: String, base: JSONPointer) -> JSONPointer? {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let uri = String(parts[0])
        var resource = base
        if !uri.isEmpty {
            let absolute = root.descend(base.tokens).node["$id"]?.string
                .flatMap { RelativePath.resolve(uri, against: $0) }
            guard let known = resources[uri] ?? absolute.flatMap({ resources[$0] }) else { return nil }
            resource = known
        }
        guard let fragment = PercentCoding.decoded(parts.count == 2 ? parts[1] : "") else { return nil }
        if fragment.isEmpty { return resource }
        guard fragment.utf8.first == UInt8(ascii: "/") else {
            return anchors[fragment]?.first { self.base(of: $0) == resource }
        }
        let steps = fragment.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { JSONPointer.unescaped($0) }
        return JSONPointer(tokens: resource.tokens + steps)
    }

    /// The innermost schema with an `$id` that contains the place or is at the place.
    private func base(of place: JSONPointer) -> JSONPointer {
        resources.values.filter { isWithin($0, place) }
            .max { $0.tokens.count < $1.tokens.count } ?? .root
    }
}
