import OpenAPIGeneration

/// An invalid command line, with a hint how to fix it.
struct UsageError: Error {
    let text: String

    init(_ text: String, command: String? = nil) {
        self.text = text + "\nSee: gateway-openapi " + (command.map { $0 + " " } ?? "") + "--help"
    }
}

/// A parsed command line.
enum Invocation {
    case help(String)
    case validate(path: String, Settings)
    case generate(path: String, output: String?, Settings)
    case diff(old: String, new: String, isJSON: Bool, Settings)

    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else { throw UsageError("missing command") }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h", "help":
            self = .help(HelpText.text(for: rest.first))
        case "validate":
            self = try Self.validate(rest)
        case "generate":
            self = try Self.generate(rest)
        case "diff":
            self = try Self.diff(rest)
        default:
            let what = first.hasPrefix("-") ? "option" : "command"
            let known = first.hasPrefix("-") ? ["--help"] : ["generate", "validate", "diff", "help"]
            throw UsageError("unknown \(what) \"\(first)\"" + Suggestion.text(first, of: known))
        }
    }

    private static func validate(_ arguments: [String]) throws(UsageError) -> Invocation {
        let options = try ParsedOptions(
            arguments, known: ["--config"], flags: ["--strict", "--verbose"], command: "validate")
        if options.wantsHelp { return .help(HelpText.text(for: "validate")) }
        return .validate(path: try options.document(), try Settings(options, command: "validate"))
    }

    private static func diff(_ arguments: [String]) throws(UsageError) -> Invocation {
        let options = try ParsedOptions(arguments, known: ["--format", "--config"], command: "diff")
        if options.wantsHelp { return .help(HelpText.text(for: "diff")) }
        let format = options.values["--format"] ?? "text"
        guard ["text", "json"].contains(format) else {
            throw UsageError(
                "--format must be text or json, not \"\(format)\""
                    + Suggestion.text(format, of: ["text", "json"]),
                command: "diff")
        }
        let documents = try options.documents(2)
        return .diff(
            old: documents[0], new: documents[1], isJSON: format == "json",
            try Settings(options, command: "diff"))
    }

    private static func generate(_ arguments: [String]) throws(UsageError) -> Invocation {
        let options = try ParsedOptions(
            arguments,
            known: ["--output", "--name", "--access", "--config", "--lock", "--file-prefix", "--layout"],
            flags: ["--strict", "--update-lock", "--check", "--verbose"],
            command: "generate")
        if options.wantsHelp { return .help(HelpText.text(for: "generate")) }
        let path = try options.document()
        let output = options.values["--output"]
        // Without a folder, only the lock is written.
        guard output.map({ !$0.isEmpty }) ?? options.flags.contains("--update-lock") else {
            throw UsageError("--output DIR is required", command: "generate")
        }
        return .generate(path: path, output: output, try Settings(options, command: "generate"))
    }
}

/// Options, flags and positional arguments.
struct ParsedOptions {
    private(set) var values: [String: String] = [:]
    private(set) var flags: Set<String> = []
    private(set) var wantsHelp = false
    private var positional: [String] = []
    private let command: String

    init(
        _ arguments: [String], known: [String], flags: [String] = [], command: String
    ) throws(UsageError) {
        self.command = command
        var rest = arguments[...]
        var onlyPositional = false
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-", !onlyPositional else {
                positional.append(argument)
                continue
            }
            if argument == "--" {
                onlyPositional = true
                continue
            }
            if argument == "--help" || argument == "-h" {
                wantsHelp = true
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if flags.contains(argument) {
                self.flags.insert(argument)
                continue
            }
            guard known.contains(name) else {
                throw UsageError(
                    "unknown option \"\(name)\"" + Suggestion.text(name, of: known + flags + ["--help"]),
                    command: command)
            }
            guard values[name] == nil else { throw UsageError("duplicate option \(name)", command: command) }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw UsageError("\(name) requires a value", command: command)
            }
            values[name] = value
        }
    }

    /// Exactly `count` documents.
    func documents(_ count: Int) throws(UsageError) -> [String] {
        guard positional.count == count else {
            throw UsageError(
                "expected \(count) documents, found \(positional.count)", command: command)
        }
        return positional
    }

    /// The only document.
    func document() throws(UsageError) -> String {
        guard let path = positional.first else {
            throw UsageError("missing document", command: command)
        }
        guard positional.count == 1 else {
            throw UsageError(
                "expected one document; unexpected argument \"\(positional[1])\"", command: command)
        }
        return path
    }
}
