import OpenAPIGeneration

/// A wrong command line, and what to do about it.
struct UsageError: Error {
    let text: String

    init(_ text: String, command: String? = nil) {
        self.text = text + "\nSee: gateway-openapi " + (command.map { $0 + " " } ?? "") + "--help"
    }
}

/// A command line, read.
enum Invocation {
    case help(String)
    case validate(path: String)
    case generate(path: String, output: String, name: String, access: AccessLevel)

    init(_ arguments: [String]) throws(UsageError) {
        guard let first = arguments.first else { throw UsageError("a command is missing") }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "--help", "-h", "help":
            self = .help(HelpText.text(for: rest.first))
        case "validate":
            self = try Self.validate(rest)
        case "generate":
            self = try Self.generate(rest)
        default:
            let what = first.hasPrefix("-") ? "option" : "command"
            let known = first.hasPrefix("-") ? ["--help"] : ["generate", "validate", "help"]
            throw UsageError("unknown \(what) \"\(first)\"" + Suggestion.text(first, of: known))
        }
    }

    private static func validate(_ arguments: [String]) throws(UsageError) -> Invocation {
        let options = try ParsedOptions(arguments, known: [], command: "validate")
        if options.wantsHelp { return .help(HelpText.text(for: "validate")) }
        return .validate(path: try options.document())
    }

    private static func generate(_ arguments: [String]) throws(UsageError) -> Invocation {
        let options = try ParsedOptions(
            arguments, known: ["--output", "--name", "--access"], command: "generate")
        if options.wantsHelp { return .help(HelpText.text(for: "generate")) }
        let path = try options.document()
        guard let output = options.values["--output"], !output.isEmpty else {
            throw UsageError("--output with a directory is missing", command: "generate")
        }
        var access = AccessLevel.public
        if let text = options.values["--access"] {
            guard let level = AccessLevel(rawValue: text) else {
                let known = AccessLevel.allCases.map(\.rawValue)
                throw UsageError(
                    "--access is one of \(known.joined(separator: ", ")), not \"\(text)\""
                        + Suggestion.text(text, of: known),
                    command: "generate")
            }
            access = level
        }
        let file = path.split(separator: "/").last.map { String($0) } ?? path
        let name = options.values["--name"] ?? Generator.namespace(ofFile: file)
        guard Generator.isValid(namespace: name) else {
            throw UsageError(
                "\"\(name)\" is no name for a client; take an upper camel word such as Petstore",
                command: "generate")
        }
        return .generate(path: path, output: output, name: name, access: access)
    }
}

/// Options with values, and what stands between them.
struct ParsedOptions {
    private(set) var values: [String: String] = [:]
    private(set) var wantsHelp = false
    private var positional: [String] = []
    private let command: String

    init(_ arguments: [String], known: [String], command: String) throws(UsageError) {
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
            guard known.contains(name) else {
                throw UsageError(
                    "unknown option \"\(name)\"" + Suggestion.text(name, of: known + ["--help"]),
                    command: command)
            }
            guard values[name] == nil else { throw UsageError("\(name) stands twice", command: command) }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw UsageError("\(name) needs a value", command: command)
            }
            values[name] = value
        }
    }

    /// The one document.
    func document() throws(UsageError) -> String {
        guard let path = positional.first else {
            throw UsageError("the document is missing", command: command)
        }
        guard positional.count == 1 else {
            throw UsageError("one document at a time; \"\(positional[1])\" is one too many", command: command)
        }
        return path
    }
}
