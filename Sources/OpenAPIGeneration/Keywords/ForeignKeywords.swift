/// The keywords of a document that its version of OpenAPI does not define.
///
/// Each is reported once, at its first place: a document that has one often has it in every schema.
final class ForeignKeywords {
    private struct Finding {
        let text: String
        let versions: ClosedRange<OpenAPIVersion>
        let effect: String
        var position: SourcePosition
        var count = 1
    }

    private let version: OpenAPIVersion
    private var findings = [String: Finding]()

    init(version: OpenAPIVersion) { self.version = version }

    /// Records a keyword if the version does not define it, or the form of its value.
    func note(_ member: Node.Object.Member, _ use: KeywordUse) {
        if let form = use.forms.first(where: { $0.matches(member.value) }) {
            guard !form.versions.contains(version) else { return }
            return add("\"\(member.key)\" with \(form.name)", form.versions, "it is applied", member)
        }
        guard !use.versions.contains(version), !saysNothing(member.value, use) else { return }
        switch use.handling {
        case .read, .partial:
            let effect = use.isAppliedInOthers ? "it is applied" : "it is ignored"
            add("\"\(member.key)\"", use.versions, effect, member)
        case .ignored:
            add("\"\(member.key)\"", use.versions, "it does not affect the generated code", member)
        // Their effect is reported in all versions.
        case .unsupported, .eachUnsupported: break
        }
    }

    /// Whether it is empty, or a flag of an earlier version that is not set.
    private func saysNothing(_ value: Node, _ use: KeywordUse) -> Bool {
        switch value.value {
        case .array(let items): items.isEmpty
        case .object(let object): object.members.isEmpty
        case .bool(let flag): !flag && use.versions.upperBound < version
        default: false
        }
    }

    private func add(
        _ text: String, _ versions: ClosedRange<OpenAPIVersion>, _ effect: String,
        _ member: Node.Object.Member
    ) {
        // Objects of several kinds have a "summary".
        let key = "\(text) \(versions.lowerBound) \(effect)"
        if var known = findings[key] {
            known.count += 1
            known.position = min(known.position, member.keyPosition)
            findings[key] = known
        } else {
            findings[key] = Finding(
                text: text, versions: versions, effect: effect, position: member.keyPosition)
        }
    }

    func report(to sink: DiagnosticSink) {
        for finding in findings.values.sorted(by: { $0.position < $1.position }) {
            let defined =
                finding.versions.lowerBound > version
                ? "\(finding.versions.lowerBound.rawValue) or later"
                : "\(finding.versions.upperBound.rawValue) or earlier"
            let places = finding.count == 1 ? "" : "; found in \(finding.count) places"
            sink.warn(
                .unknownKeyword,
                "\(finding.text) requires OpenAPI \(defined), and the document declares \(version.rawValue); "
                    + finding.effect + places,
                at: finding.position)
        }
    }
}
