import CommandArguments

/// What `gateway token` was asked for.
struct TokenArguments {
    /// How the token is shown.
    enum Form { case text, json, raw }

    let file: String?
    let form: Form
    let isVerbose: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        guard !arguments.has("--json") || !arguments.has("--raw") else {
            throw arguments.error("--json and --raw cannot be combined")
        }
        file = arguments.value("--file")
        form = arguments.has("--json") ? .json : arguments.has("--raw") ? .raw : .text
        isVerbose = arguments.has("--verbose")
    }
}
