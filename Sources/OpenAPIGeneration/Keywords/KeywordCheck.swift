import GatewaySuggestions

/// Walks the whole document and reports unknown, ignored and unsupported keywords.
///
/// References are not followed: their targets are in the document and are visited there.
struct KeywordCheck {
    private let version: OpenAPIVersion
    private let foreign: ForeignKeywords
    private let sink: DiagnosticSink

    init(version: OpenAPIVersion, sink: DiagnosticSink) {
        self.version = version
        foreign = ForeignKeywords(version: version)
        self.sink = sink
    }

    /// Checks a document. The types of values are checked elsewhere.
    func check(_ root: Node) {
        check(root, as: .document)
        foreign.report(to: sink)
    }

    private func check(_ node: Node, as kind: ObjectKind) {
        guard let object = node.object else { return }
        if node["$ref"]?.string != nil, kind != .schema || version == .v3_0 {
            Self.reportSiblings(of: node, sink: sink)
            return
        }
        if kind == .schema { DateExamples(sink: sink).check(node) }
        let table = KeywordTable.keywords(of: kind)
        for member in object.members {
            guard let use = table[member.key] else {
                if !member.key.hasPrefix("x-") { reportUnknown(member, of: kind, known: table) }
                continue
            }
            foreign.note(member, use)
            follow(use, member)
        }
    }

    private func follow(_ use: KeywordUse, _ member: Node.Object.Member) {
        switch use.handling {
        case .unsupported(let rule, let consequence), .partial(let rule, let consequence):
            guard !member.value.hasNoEffect else { break }
            sink.warn(rule, "\"\(member.key)\" is not supported: \(consequence)", at: member.keyPosition)
        case .eachUnsupported(let rule, let thing):
            for inner in member.value.members where !inner.key.hasPrefix("x-") {
                sink.warn(rule, "the \(thing) \"\(inner.key)\" is not generated", at: inner.keyPosition)
            }
        case .read, .ignored: break
        }
        guard use.isRead else { return }
        switch use.role {
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
        case .value, .data, .unknown: break
        }
    }

    /// Maps of paths, responses and links may contain extensions. In other maps, `x-` is the beginning of a name.
    private func isExtension(_ member: Node.Object.Member, of kind: ObjectKind) -> Bool {
        [.pathItem, .response, .link].contains(kind) && member.key.hasPrefix("x-")
    }

    /// Reports ignored siblings of a `$ref`, except for descriptive keywords.
    static func reportSiblings(of node: Node, sink: DiagnosticSink) {
        for member in node.members where member.key != "$ref" {
            guard !member.key.hasPrefix("x-"), !KeywordTable.words.contains(member.key) else { continue }
            sink.warn(
                .ignoredKeyword, "\"\(member.key)\" next to \"$ref\" is ignored", at: member.keyPosition)
        }
    }

    private func reportUnknown(
        _ member: Node.Object.Member, of kind: ObjectKind, known: [String: KeywordUse]
    ) {
        sink.warn(
            .unknownKeyword,
            "unknown keyword \"\(member.key)\" in \(kind.name)"
                + Suggestion.text(member.key, of: known.keys.sorted()),
            at: member.keyPosition)
    }
}

extension Node {
    /// Whether the value has no effect: an empty collection or `true`.
    fileprivate var hasNoEffect: Bool {
        switch value {
        case .array(let items): items.isEmpty
        case .object(let object): object.members.isEmpty
        case .bool(let flag): flag
        default: false
        }
    }
}
