/// Expands generic schemas: a schema that uses a template by `$ref` or in `allOf` and defines other anchors becomes a copy
/// of the template with these anchors.
///
/// The target of a dynamic reference depends on the dynamic scope: it is the anchor of that name in the outermost schema.
/// It runs after all files are one tree, in which references are pointers. Dynamic references that no template overrides
/// keep their nearest anchors.
struct DynamicTemplates {
    /// Maximum nesting of templates.
    private static let limit = 16
    /// Maximum number of copied values. Why: templates that use several others multiply.
    private static let size = 300_000

    private struct Anchor {
        let place: JSONPointer
        let position: SourcePosition
    }

    /// Anchors by name, as a schema that uses a template overrides them.
    private struct Overrides {
        let anchors: [ExactText: Anchor]
        let depth: Int
    }

    private struct Copy {
        let overrides: Overrides
        /// Whether a dynamic reference was redirected.
        var isUsed = false
        /// Whether the template has parts that must be unique.
        var hasFailed = false
    }

    private let root: Node
    private let sink: DiagnosticSink
    private let anchors: [ExactText: [JSONPointer]]
    private var size = 0
    /// Anchors that were used to expand a template. By position, because a schema of a file can have several places.
    private var applied = Set<SourcePosition>()
    /// The references that keep their nearest anchors.
    private var nearest: [(name: String, target: JSONPointer, position: SourcePosition)] = []

    private init(_ root: Node, sink: DiagnosticSink) {
        self.root = root
        self.sink = sink
        anchors = DynamicReferences.anchors(in: root, as: .object(.document))
    }

    /// The document with templates expanded and without marks.
    static func expanded(_ root: Node, sink: DiagnosticSink) -> Node {
        guard root.hasMember(where: { $0.key == DynamicReferences.mark }) else { return root }
        var pass = DynamicTemplates(root, sink: sink)
        let result = pass.rewritten(root, .object(.document), at: .root)
        pass.report()
        return unmarked(result, .object(.document))
    }

    @inline(never)
    private static func unmarked(_ node: Node, _ role: NodeRole) -> Node {
        DocumentWalk(role).map(node) { child, role, _ in unmarked(child, role) }
            .removing(DynamicReferences.mark)
    }

    /// Reports references that may have other targets: anchors of the same name that no template used.
    private func report() {
        var seen = Set<SourcePosition>()
        for reference in nearest where seen.insert(reference.position).inserted {
            let anchor = root.descend(reference.target.tokens).node.position
            let others = (anchors[reference.name] ?? []).map { root.descend($0.tokens).node.position }
            guard let other = others.first(where: { $0 != anchor && !applied.contains($0) }) else { continue }
            sink.warn(
                .unsupportedSchema, "\"$dynamicRef\" is always resolved to \(reference.target.text)",
                at: reference.position, notes: [.init(message: "another possible target", position: other)])
        }
    }

    private mutating func rewritten(_ node: Node, _ role: NodeRole, at place: JSONPointer) -> Node {
        let result = DocumentWalk(role).map(node) { child, role, step in
            rewritten(child, role, at: place.appending(step))
        }
        guard node.object != nil else { return result }
        guard let mark = node[DynamicReferences.mark] else {
            return applying(to: result, original: node, at: place)
        }
        if let name = mark.string, let target = target(node["$ref"]) {
            nearest.append((name, target, mark.position))
        }
        return result
    }

    private mutating func applying(to result: Node, original: Node, at place: JSONPointer) -> Node {
        var own = [ExactText: Anchor]()
        for member in original["$defs"]?.members ?? [] {
            if let name = member.value["$dynamicAnchor"]?.string {
                let place = place.appending("$defs").appending(member.key)
                own[name] = Anchor(place: place, position: member.value.position)
            }
        }
        if let name = original["$dynamicAnchor"]?.string {
            own[name] = Anchor(place: place, position: original.position)
        }
        guard !own.isEmpty else { return result }
        let overrides = Overrides(anchors: own, depth: 0)
        var result = result
        var parts = result["allOf"]?.array ?? []
        var hasChanged = false
        for (offset, item) in (original["allOf"]?.array ?? []).enumerated() where item.members.count == 1 {
            guard let text = template(item["$ref"], overrides, at: place) else { continue }
            parts[offset] = text
            hasChanged = true
        }
        if let text = template(original["$ref"], overrides, at: place) {
            result = result.removing("$ref")
            parts.insert(text, at: 0)
            hasChanged = true
        }
        guard hasChanged else { return result }
        return result.setting("allOf", to: Node(value: .array(parts), position: original.position))
    }

    /// The target of a reference, rewritten for another place. Nil if nothing in it depends on the place.
    private mutating func template(_ reference: Node?, _ overrides: Overrides, at place: JSONPointer?)
        -> Node?
    {
        guard overrides.depth < Self.limit, let target = target(reference),
            place.map({ $0.isWithin(target) }) != true, hasRoom(at: reference)
        else { return nil }
        let (node, steps) = root.descend(target.tokens)
        guard steps == target.tokens.count, let object = node.object else { return nil }
        let inner = Overrides(anchors: overrides.anchors, depth: overrides.depth + 1)
        var copy = Copy(overrides: inner)
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
        let result = copied(rest, .object(.schema), &copy)
        guard copy.isUsed, !copy.hasFailed else {
            applied = before
            return nil
        }
        guard !parts.isEmpty else { return result }
        return result.setting("allOf", to: Node(value: .array(parts), position: node.position))
    }

    /// Counts a value that is copied.
    private mutating func hasRoom(at node: Node?) -> Bool {
        size += 1
        if size == Self.size {
            sink.fail(
                .limit, "the schemas with \"$dynamicRef\" are too many or too large", at: node?.position)
        }
        return size < Self.size
    }

    private mutating func copied(_ node: Node, _ role: NodeRole, _ copy: inout Copy) -> Node {
        guard hasRoom(at: node) else { return node }
        if let name = node[DynamicReferences.mark]?.string, let old = node["$ref"],
            let anchor = copy.overrides.anchors[name]
        {
            copy.isUsed = true
            applied.insert(anchor.position)
            let new = Node(value: .string(anchor.place.reference), position: old.position)
            return node.removing(DynamicReferences.mark).setting("$ref", to: new)
        }
        // Nested resources and anchors must be unique, so they cannot be copied.
        if node["$id"]?.string != nil || node["$anchor"]?.string != nil { copy.hasFailed = true }
        return DocumentWalk(role).map(node) { child, role, _ in copied(child, role, &copy) }
    }

    /// The place of the target of a reference. Nil if it is not in the document.
    private func target(_ reference: Node?) -> JSONPointer? {
        guard let text = reference?.string, text.utf8.first == UInt8(ascii: "#"),
            let fragment = PercentCoding.decoded(text.dropFirst())
        else { return nil }
        if fragment.isEmpty { return .root }
        guard fragment.utf8.first == UInt8(ascii: "/") else { return anchors[fragment]?.first }
        return JSONPointer(tokens: JSONPointer.tokens(of: fragment))
    }
}
