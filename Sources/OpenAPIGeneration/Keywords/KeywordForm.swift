/// A form of a keyword's value that not all versions of OpenAPI define. It is read in all of them.
struct KeywordForm {
    let keyword: String
    /// For messages, with its article.
    let name: String
    let versions: ClosedRange<OpenAPIVersion>
    let matches: @Sendable (Node) -> Bool

    /// The forms of the keywords of a schema.
    private static let schema: [KeywordForm] = [
        KeywordForm(keyword: "type", name: "an array", versions: .v3_1 ... .v3_2) { $0.array != nil },
        KeywordForm(keyword: "type", name: "\"null\"", versions: .v3_1 ... .v3_2) { $0.string == "null" },
        KeywordForm(
            keyword: "exclusiveMinimum", name: "a number", versions: .v3_1 ... .v3_2, matches: isNumber),
        KeywordForm(
            keyword: "exclusiveMaximum", name: "a number", versions: .v3_1 ... .v3_2, matches: isNumber),
        KeywordForm(keyword: "exclusiveMinimum", name: "true", versions: .v3_0 ... .v3_0) { $0.bool == true },
        KeywordForm(keyword: "exclusiveMaximum", name: "true", versions: .v3_0 ... .v3_0) { $0.bool == true },
    ]

    /// The form of a keyword's value; nil if all versions define it.
    static func form(of member: Node.Object.Member, in kind: ObjectKind) -> KeywordForm? {
        guard kind == .schema else { return nil }
        return schema.first { $0.keyword == member.key && $0.matches(member.value) }
    }

    @Sendable private static func isNumber(_ node: Node) -> Bool {
        if case .number = node.value { return true }
        return false
    }
}
