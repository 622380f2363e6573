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
    private(set) var anchors: [ExactText: [JSONPointer]] = [:]
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
        guard version != .v3_0 else { return root }
        let walk = DocumentWalk(kind: .document)
        var isNeeded = false
        walk.members(of: root) { member, _ in
            isNeeded = isNeeded || (member.key == "$dynamicRef" && member.value.string != nil)
            return !isNeeded
        }
        guard isNeeded else { return root }
        var pass = DynamicReferences(root, sink: sink)
        walk.objects(in: root, at: .root, ()) { node, place, _ in
            if let name = node["$dynamicAnchor"]?.string { pass.anchors[name, default: []].append(place) }
            if let id = node["$id"]?.string, pass.resources[id] == nil { pass.resources[id] = place }
        }
        let result = pass.rewritten(root, .object(.document), at: .root, base: .root)
        pass.report()
        return result
    }

    /// Reports references that may have other targets: anchors of the same name that no template used.
    private func report() {
        for reference in nearest {
            let others = (anchors[reference.name] ?? []).filter {
                $0 != reference.anchor && !applied.contains($0)
            }
            guard let other = others.first else { continue }
            let (node, _) = root.descend(other.tokens)
            sink.warn(
                .unsupportedSchema, "\"$dynamicRef\" is always resolved to \(reference.anchor.text)",
                at: reference.position,
                notes: [.init(message: "another possible target", position: node.position)])
        }
    }

    /// - Parameter base: The schema with an `$id` around the place, to which references beginning with `#` are
    ///   relative.
    private mutating func rewritten(
        _ node: Node, _ role: NodeRole, at place: JSONPointer, base: JSONPointer
    ) -> Node {
        let base = node["$id"]?.string == nil ? base : place
        let result = DocumentWalk(role).map(node) { child, role, step in
            rewritten(child, role, at: place.appending(step), base: base)
        }
        guard node.object != nil else { return result }
        if let dynamic = node["$dynamicRef"], let name = name(dynamic), node["$ref"] == nil {
            return following(dynamic, name, in: result, at: place, base: base)
        }
        return applying(to: result, original: node, at: place, base: base)
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
            && zip(outer.tokens, inner.tokens).allSatisfy { $0.isSame(as: $1) }
    }
}
