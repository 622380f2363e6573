/// Walks over the whole document and reports each keyword that nothing comes of, at its place.
///
/// It follows no reference: what is referred to is in the document, and visited where it is written.
struct KeywordCheck {
    let version: OpenAPIVersion
    let sink: DiagnosticSink

    /// Checks an object and all that it holds. Whether values are of the right kind is for others to say.
    func check(_ node: Node, as kind: ObjectKind) {
        guard let object = node.object else { return }
        if node["$ref"]?.string != nil, kind != .schema || version == .v3_0 {
            Self.reportSiblings(of: node, sink: sink)
            return
        }
        let table = KeywordTable.keywords(of: kind)
        for member in object.members {
            guard let use = table[member.key] else {
                if !member.key.hasPrefix("x-") { reportUnknown(member, of: kind, known: table) }
                continue
            }
            follow(use, member)
        }
    }

    private func follow(_ use: KeywordUse, _ member: Node.Object.Member) {
        switch use {
        case .read, .harmless: break
        case .object(let kind): check(member.value, as: kind)
        case .list(let kind):
            for item in member.value.array ?? [] { check(item, as: kind) }
        case .map(let kind):
            for inner in member.value.members where !isExtension(inner, of: kind) {
                check(inner.value, as: kind)
            }
        case .maps(let kind):
            for map in member.value.members where map.value["$ref"]?.string == nil {
                for inner in map.value.members where !inner.key.hasPrefix("x-") {
                    check(inner.value, as: kind)
                }
            }
        case .lost(let rule, let consequence):
            guard !member.value.saysNothing else { return }
            sink.report(
                .warning(
                    rule, "\"\(member.key)\" is not supported: \(consequence)", at: member.keyPosition))
        case .eachLost(let rule, let thing):
            for inner in member.value.members where !inner.key.hasPrefix("x-") {
                sink.report(
                    .warning(rule, "the \(thing) \"\(inner.key)\" is not generated", at: inner.keyPosition))
            }
        }
    }

    /// Paths and responses may have extensions among them; a schema or a property may be named so.
    private func isExtension(_ member: Node.Object.Member, of kind: ObjectKind) -> Bool {
        [.pathItem, .response, .link].contains(kind) && member.key.hasPrefix("x-")
    }

    /// What stands beside a `$ref` is ignored, as the specification says; only words may be lost unseen.
    static func reportSiblings(of node: Node, sink: DiagnosticSink) {
        for member in node.members where member.key != "$ref" {
            guard !member.key.hasPrefix("x-"), !KeywordTable.words.contains(member.key) else { continue }
            sink.report(
                .warning(
                    .ignoredKeyword, "\"\(member.key)\" stands beside a \"$ref\", where it is ignored",
                    at: member.keyPosition))
        }
    }

    private func reportUnknown(
        _ member: Node.Object.Member, of kind: ObjectKind, known: [String: KeywordUse]
    ) {
        sink.report(
            .warning(
                .unknownKeyword,
                "\(kind.name) has no keyword \"\(member.key)\""
                    + Suggestion.text(member.key, of: known.keys.sorted()),
                at: member.keyPosition))
    }
}

extension Node {
    /// Whether it is an empty collection, or the boolean that allows everything.
    fileprivate var saysNothing: Bool {
        switch value {
        case .array(let items): items.isEmpty
        case .object(let object): object.members.isEmpty
        case .bool(let flag): flag
        default: false
        }
    }
}
