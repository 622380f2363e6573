/// Follows `$ref` within one document.
final class ReferenceResolver {
    /// A node and its place.
    struct Target {
        let node: Node
        let pointer: JSONPointer
    }

    let root: Node
    private var cache = [ExactText: Target]()
    private var anchors: [ExactText: Target]?

    init(root: Node) {
        self.root = root
    }

    /// The direct target of a reference. It may be a reference itself.
    func target(of reference: String, at position: SourcePosition) throws(Diagnostic) -> Target {
        if let known = cache[reference] { return known }
        guard reference.utf8.first == UInt8(ascii: "#") else {
            throw .error(
                .externalReference,
                "\"\(reference)\" cannot be resolved: references to other documents are not supported here",
                at: position)
        }
        guard let fragment = PercentCoding.decoded(reference.dropFirst()) else {
            throw unresolved(reference, "invalid percent encoding", at: position)
        }
        let target: Target
        if fragment.isEmpty {
            target = Target(node: root, pointer: .root)
        } else if fragment.utf8.first == UInt8(ascii: "/") {
            target = try walk(fragment, reference, at: position)
        } else if let anchor = anchor(fragment) {
            target = anchor
        } else {
            throw unresolved(reference, "no such \"$anchor\"", at: position)
        }
        cache[reference] = target
        return target
    }

    /// The node at the end of a chain of references, beginning with `node` itself.
    func final(_ node: Node, at pointer: JSONPointer) throws(Diagnostic) -> Target {
        var current = Target(node: node, pointer: pointer)
        var passed: [JSONPointer] = []
        while let reference = current.node["$ref"]?.string {
            let next = try target(of: reference, at: current.node.position)
            passed.append(current.pointer)
            if passed.contains(next.pointer) {
                throw .error(
                    .circularReference, "circular reference", at: node.position,
                    notes: [.init(message: "through this reference", position: next.node.position)])
            }
            current = next
        }
        return current
    }

    /// A schema and the ones that it refers to, one after the other. From OpenAPI 3.1 on all of them apply.
    func chain(_ node: Node, at pointer: JSONPointer) -> [Target] {
        var result = [Target(node: node, pointer: pointer)]
        while let last = result.last, let reference = last.node["$ref"]?.string,
            let next = try? target(of: reference, at: last.node.position),
            !result.contains(where: { $0.pointer == next.pointer })
        {
            result.append(next)
        }
        return result
    }

    /// The target of a schema that has only a `$ref` and annotations. Nil if the pointer has no such schema.
    func onlyReferenced(at pointer: String, _ position: SourcePosition) -> JSONPointer? {
        let annotations: Set<String> = ["$ref", "$comment", "title", "summary", "description", "deprecated"]
        guard let place = try? target(of: pointer, at: position), place.node["$ref"]?.string != nil,
            place.node.members.allSatisfy({ annotations.contains($0.key) || $0.key.hasPrefix("x-") })
        else { return nil }
        return try? final(place.node, at: place.pointer).pointer
    }

    private func walk(
        _ fragment: String, _ reference: String, at position: SourcePosition
    ) throws(Diagnostic) -> Target {
        var node = root
        var tokens: [String] = []
        for token in JSONPointer.tokens(of: fragment) {
            tokens.append(token)
            if let next = node[token] {
                node = next
            } else if let items = node.array, let index = Int(token), items.indices.contains(index) {
                node = items[index]
            } else {
                let parent = JSONPointer(tokens: tokens.dropLast()).text
                throw unresolved(
                    reference, "no such member \"\(token)\" in \(parent)", at: position, nearest: node)
            }
        }
        return Target(node: node, pointer: JSONPointer(tokens: tokens))
    }

    private func unresolved(
        _ reference: String, _ reason: String, at position: SourcePosition, nearest: Node? = nil
    ) -> Diagnostic {
        .error(
            .unresolvedReference, "\"\(reference)\" cannot be resolved: \(reason)", at: position,
            notes: nearest.map {
                [.init(message: "resolved up to here", position: $0.position)]
            }
                ?? [])
    }

    private func anchor(_ name: String) -> Target? {
        if anchors == nil {
            var found = [ExactText: Target]()
            DocumentWalk(kind: .document).objects(in: root, at: .root, ()) { node, place, _ in
                for name in [node["$anchor"]?.string, node["$dynamicAnchor"]?.string].compactMap({ $0 })
                where found[name] == nil {
                    found[name] = Target(node: node, pointer: place)
                }
            }
            anchors = found
        }
        return anchors?[name]
    }
}
