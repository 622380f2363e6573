/// A form of a keyword's value that not all versions of OpenAPI define. It is read in all of them.
struct KeywordForm {
    /// For messages, with its article.
    let name: String
    let versions: ClosedRange<OpenAPIVersion>
    let matches: @Sendable (Node) -> Bool

    static let array = KeywordForm(name: "an array", versions: .v3_1 ... .v3_2) { $0.array != nil }
    static let null = KeywordForm(name: "\"null\"", versions: .v3_1 ... .v3_2) { $0.string == "null" }
    static let number = KeywordForm(name: "a number", versions: .v3_1 ... .v3_2) { node in
        if case .number = node.value { return true }
        return false
    }
    static let flag = KeywordForm(name: "true", versions: .v3_0 ... .v3_0) { $0.bool == true }
}
