import GatewayClient

/// A wrong command line, and where to look.
struct UsageError: Error {
    let text: String

    init(_ text: String, command: String? = nil) {
        self.text = text + "\nSee: gateway " + (command.map { $0 + " " } ?? "") + "--help"
    }
}

/// What stands behind a subcommand, by its specification.
struct ParsedArguments {
    private(set) var positional: [String] = []
    private(set) var wantsHelp = false
    private var values: [String: [String]] = [:]
    private let spec: CommandSpec

    init(_ arguments: [String], of spec: CommandSpec) throws(UsageError) {
        self.spec = spec
        var rest = arguments[...]
        var onlyPositional = false
        while let argument = rest.popFirst() {
            if onlyPositional || argument == "-" || !argument.hasPrefix("-") {
                positional.append(argument)
            } else if argument == "--" {
                onlyPositional = true
            } else {
                try take(argument, &rest)
            }
        }
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        // By bytes: a combining character makes one character with the sign before it.
        let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = String(argument[..<(equals ?? argument.endIndex)])
        let given = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
        guard let option = spec.allOptions.first(where: { $0.spellings.contains(name) }) else {
            guard !Self.credentialOptions.contains(name) else {
                throw error(
                    "credentials are not accepted on the command line, which every process can read: "
                        + "set variables, see gateway help environment")
            }
            let near = NearestName.find(
                name, among: spec.allOptions.map(\.name), within: max(2, name.utf8.count / 3))
            throw error("unknown option \"\(name)\"" + (near.map { "; did you mean \"\($0)\"?" } ?? ""))
        }
        guard values[option.name] == nil || option.repeats else {
            throw error("\(option.name) was given more than once")
        }
        if option.name == CommandSpec.help.name { wantsHelp = true }
        guard let value = option.value.name else {
            guard given == nil else { throw error("\(option.name) takes no value") }
            values[option.name] = []
            return
        }
        guard let text = equals == nil ? rest.popFirst() : given else {
            throw error("\(option.name) needs a value: \(value)")
        }
        values[option.name, default: []].append(text)
    }

    /// What other commands take there.
    private static let credentialOptions: Set<String> = [
        "--token", "--bearer", "--oauth2-bearer", "--secret", "--client-secret", "--client-id", "--user",
        "-u",
        "--password",
    ]

    /// An error that points at this subcommand's help.
    func error(_ text: String) -> UsageError { UsageError(text, command: spec.name) }

    /// Whether an option is there.
    func has(_ name: String) -> Bool { values[name] != nil }

    /// An option's value.
    func value(_ name: String) -> String? { values[name]?.first }

    /// All values of an option.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The time that an option gives.
    func duration(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let duration = DurationText.parse(text) else {
            throw error("\(name) must be a time such as 500ms, 10s or 2m")
        }
        return duration
    }

    /// Refuses more arguments than that.
    func limitPositional(to count: Int) throws(UsageError) {
        guard positional.count <= count else { throw error("unexpected argument \"\(positional[count])\"") }
    }
}
