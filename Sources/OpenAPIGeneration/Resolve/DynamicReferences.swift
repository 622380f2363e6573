/// Replaces `$dynamicRef` (JSON Schema 2020-12, section 8.2.3.2) by plain references before the document is read.
///
/// The target of a dynamic reference depends on the dynamic scope: it is the anchor of that name in the outermost
/// schema. Generic schemas are supported: a schema that uses a template by `$ref` or in `allOf` and defines other
/// anchors becomes a copy of the template with these anchors. All other dynamic references resolve to the nearest
/// anchor, which is their meaning if it is not overridden.
struct DynamicReferences {
    let root: Node
    private let sink: DiagnosticSink
    /// Name → the places of its anchors, in document order.
    private(set) var anchors: [String: [JSONPointer]] = [:]
    /// `$id`, as written → its place.
    private(set) var resources: [String: JSONPointer] = [:]
    /// Anchors that were used to expand a template.
    var applied: Set<JSONPointer> = []
    /// The dynamic references that were resolved to their nearest anchor.
    private var nearest: [(name: String, anchor: JSONPointer, position: SourcePosition)] = []

    private init(_ root: Node, sink: DiagnosticSink) {
        self.root = root
        self.sink = sink
    }

    /// The document with dynamic references replaced.
    static func resolved(_ root: Node, version: OpenAPIVersion, sink: DiagnosticSink) -> Node {
        guard version != .v3_0, holdsDynamicReference(root, .object(.document)) else { return root }
        var pass = DynamicReferences(root, sink: sink)
        pass.gather(root, .object(.document), at: .root)
        let result = pass.rewritten(root, .object(.document), at: .root, base: .root)
        pass.report()
        return result
    }

    private static func holdsDynamicReference(_ node: Node, _ role: NodeRole) -> Bool {
        guard role != .data else { return false }
        return switch node.value {
        case .object(let object):
            object.members.contains { member in
                if member.key == "$dynamicRef", member.value.string != nil { return true }
                return member.value.isCollection
                    && holdsDynamicReference(member.value, role.member(member.key))
            }
        case .array(let items): items.contains { holdsDynamicReference($0, role.element) }
        default: false
        }
    }

    private mutating func gather(_ node: Node, _ role: NodeRole, at place: JSONPointer) {
        guard role != .data else { return }
        if let name = node["$dynamicAnchor"]?.string { anchors[name, default: []].append(place) }
        if let id = node["$id"]?.string, resources[id] == nil { resources[id] = place }
        for member in node.members where member.value.isCollection {
            gather(member.value, role.member(member.key), at: place.appending(member.key))
        }
        for (offset, item) in (node.array ?? []).enumerated() where item.isCollection {
            gather(item, role.element, at: place.appending(offset))
        }
    }

    /// Reports references that may have other targets: anchors of the same name that no template used.
    private func report() {
        for reference in nearest {
            let others = (anchors[reference.name] ?? []).filter {
                $0 != reference.anchor && !applied.contains($0)
            }
            guard let other = others.first else { continue }
            let (node, _) = root.descend(other.tokens)
            sink.report(
                .warning(
                    .unsupportedSchema,
                    "\"$dynamicRef\" is always resolved to \(reference.anchor.text)",
                    at: reference.position,
                    notes: [.init(message: "another possible target", position: node.position)]))
        }
    }

    /// - Parameter base: The schema with an `$id` around the place, to which references beginning with `#` are
    ///   relative.
    private mutating func rewritten(
        _ node: Node, _ role: NodeRole, at place: JSONPointer, base: JSONPointer
    ) -> Node {
        guard role != .data else { return node }
        switch node.value {
        case .object(let object):
            let base = node["$id"]?.string == nil ? base : place
            var members: [Node.Object.Member] = []
            for member in object.members {
                let (key, inner) = (member.key, role.member(member.key))
                members.append(
                    .init(
                        key: key, keyPosition: member.keyPosition,
                        value: member.value.isCollection
                            ? rewritten(member.value, inner, at: place.appending(key), base: base)
                            : member.value))
            }
            let result = Node(value: .object(.init(indexing: members)), position: node.position)
            if let dynamic = node["$dynamicRef"], let name = name(dynamic), node["$ref"] == nil {
                return following(dynamic, name, in: result, at: place, base: base)
            }
            return applying(to: result, original: node, at: place, base: base)
        case .array(let items):
            var result: [Node] = []
            for (offset, item) in items.enumerated() {
                result.append(
                    item.isCollection
                        ? rewritten(item, role.element, at: place.appending(offset), base: base) : item)
            }
            return Node(value: .array(result), position: node.position)
        default: return node
        }
    }

    /// The anchor that a dynamic reference within its own resource names.
    func name(_ reference: Node) -> String? {
        guard let text = reference.string, text.utf8.first == UInt8(ascii: "#"),
            let name = PercentCoding.decoded(text.dropFirst()), anchors[name] != nil
        else { return nil }
        return name
    }

    /// The node with a reference to the nearest anchor in the place of the dynamic one.
    private mutating func following(
        _ reference: Node, _ name: String, in node: Node, at place: JSONPointer, base: JSONPointer
    ) -> Node {
        let known = (anchors[name] ?? []).filter { isWithin(base, $0) }
        var tokens = place.tokens
        while true {
            let around = JSONPointer(tokens: tokens)
            if let anchor = known.first(where: { isWithin(around, $0) }) {
                nearest.append((name, anchor, reference.position))
                return replaced(node, by: anchor, base: base, at: reference.position)
            }
            guard around != base, tokens.popLast() != nil else { return node }
        }
    }

    func replaced(
        _ node: Node, by target: JSONPointer, base: JSONPointer, at position: SourcePosition
    ) -> Node {
        let relative = JSONPointer(tokens: Array(target.tokens.dropFirst(base.tokens.count)))
        return node.removing("$dynamicRef")
            .setting("$ref", to: Node(value: .string(relative.reference), position: position))
    }

    func isWithin(_ outer: JSONPointer, _ inner: JSONPointer) -> Bool {
        inner.tokens.count >= outer.tokens.count
            && zip(outer.tokens, inner.tokens).allSatisfy { $0 == $1 }
    }
}
