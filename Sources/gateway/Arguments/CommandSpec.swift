/// An option of a subcommand: what the parser takes, the help says, and shells complete.
struct OptionSpec: Sendable {
    /// What stands behind an option, as shells complete it.
    enum Value: Sendable {
        /// Nothing: the option is a switch.
        case none
        /// Text that nobody can guess.
        case text(String)
        /// The path of a file.
        case file(String)

        /// How the help names it.
        var name: String? {
            switch self {
            case .none: nil
            case .text(let name), .file(let name): name
            }
        }
    }

    let name: String
    let short: String?
    let value: Value
    let repeats: Bool
    /// Lines of help.
    let help: [String]

    init(
        _ name: String, _ short: String? = nil, _ value: Value = .none, repeats: Bool = false,
        help: String...
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.help = help
    }

    /// The spellings that are accepted.
    var spellings: [String] { [name] + (short.map { [$0] } ?? []) }
}

/// A subcommand.
struct CommandSpec: Sendable {
    let name: String
    /// What stands behind the name, as the help shows it.
    let arguments: String
    /// In a few words, without an end.
    let summary: String
    /// What else there is to say, in lines.
    let details: [String]
    let options: [OptionSpec]
    /// Words that the first argument may be, or often is.
    var words: [String] = []
    let examples: [String]

    static let help = OptionSpec("--help", "-h", help: "Shows this text.")

    /// Every option, `--help` among them.
    var allOptions: [OptionSpec] { options + [Self.help] }
}

extension CommandSpec {
    static let call = CommandSpec(
        name: "call", arguments: "METHOD URL [options]",
        summary: "makes a call and prints the body of its answer",
        details: [
            "A URL that begins with / is relative to GATEWAY_BASE_URL. The credential that the environment",
            "describes goes along to the origins that it names, and to no other. The body is printed as it",
            "comes; with --verbose a timeline goes to standard error. Content goes out as application/json",
            "unless a header says otherwise.",
        ],
        options: [
            OptionSpec("--data", "-d", .text("TEXT"), help: "Sends this text."),
            OptionSpec(
                "--data-file", nil, .file("FILE"),
                help: "Sends a file; - for standard input. What comes from there and",
                "is larger than 1 MiB cannot be sent again after a failure."),
            OptionSpec(
                "--header", "-H", .text("FIELD"), repeats: true,
                help: "Adds a header field, as \"Name: value\". No credentials: whatever",
                "stands on a command line can be read by every process."),
            OptionSpec(
                "--header-file", nil, .file("FILE"),
                help: "Adds the header fields in a file, one a line; those may be secret."),
            OptionSpec(
                "--idempotency-key", nil, .text("KEY"),
                help: "Lets a POST be sent again: the server knows it by this key."),
            OptionSpec("--include", "-i", help: "Prints status and header fields before the body."),
            OptionSpec(
                "--output", "-o", .file("FILE"),
                help: "Writes the body to a file when it is complete. That of a status of 400",
                "or more is printed instead."),
            OptionSpec(
                "--retries", nil, .text("N"), help: "Sends again N times at most, over GATEWAY_RETRIES."),
            OptionSpec(
                "--timeout", "-t", .text("TIME"),
                help: "Ends the call after this time, such as 500ms, 10s or 2m, over",
                "GATEWAY_DEADLINE."),
            OptionSpec(
                "--verbose", "-v", help: "Prints what happens, and when, to standard error. No secrets."),
        ],
        words: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
        examples: [
            "gateway call GET https://api.example.com/books",
            "gateway call POST /books --data '{\"title\": \"Emma\"}' --verbose",
            "jq .book order.json | gateway call PUT /books/bk-1 --data-file -",
            "gateway call GET /covers/bk-1 --output cover.jpg --timeout 2m",
        ])

    static let token = CommandSpec(
        name: "token", arguments: "[options]",
        summary: "shows what the access token says, and how long it lives",
        details: [
            "Gets the token that calls would carry and prints its header, its claims and the time left. The",
            "token itself is printed with --raw alone. What it says is read, not verified.",
        ],
        options: [
            OptionSpec(
                "--file", "-f", .file("FILE"),
                help: "Reads a token from a file in place of getting one; - for standard",
                "input."),
            OptionSpec("--json", nil, help: "Prints one JSON object."),
            OptionSpec("--raw", nil, help: "Prints the token and nothing else."),
            OptionSpec("--verbose", "-v", help: "Prints what happens, and when, to standard error."),
        ],
        examples: [
            "gateway token",
            "gateway token --json | jq .claims.exp",
            "gateway token --file /run/secrets/token",
        ])

    static let login = CommandSpec(
        name: "login", arguments: "[options]", summary: "signs somebody in by a browser on any device",
        details: [
            "Shows an address and a code, waits until somebody has entered it there and agreed (RFC 8628), and",
            "keeps what that brings in GATEWAY_TOKEN_STORE, where calls find it. GATEWAY_GRANT=device_code and a",
            "client (GATEWAY_ISSUER or GATEWAY_TOKEN_URL and GATEWAY_DEVICE_URL, GATEWAY_CLIENT_ID) are needed.",
        ],
        options: [
            OptionSpec(
                "--timeout", "-t", .text("TIME"),
                help: "Gives up after this time, such as 2m; else when the code ends.")
        ],
        examples: ["gateway login", "gateway login --timeout 2m && gateway call GET /books"])

    static let completion = CommandSpec(
        name: "completion", arguments: "bash|zsh", summary: "prints a script that completes this command",
        details: [], options: [], words: ["bash", "zsh"],
        examples: [
            "source <(gateway completion bash)",
            "gateway completion zsh > ~/.zfunc/_gateway",
        ])

    static let helpTopics = CommandSpec(
        name: "help", arguments: "[TOPIC]", summary: "shows help; the topic environment lists the variables",
        details: [], options: [], words: ["call", "token", "login", "completion", "environment"],
        examples: ["gateway help environment"])

    /// Every subcommand, in the order of the help.
    static let all = [call, token, login, completion, helpTopics]
}
