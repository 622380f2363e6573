import GatewaySuggestions

/// An invalid command line.
package struct UsageError: Error {
    package let text: String
    /// The command whose help is recommended; `nil` for the help of the program.
    package let command: String?

    package init(_ text: String, command: String? = nil) {
        self.text = text
        self.command = command
    }
}

/// The arguments after a command, parsed according to its specification.
package struct ParsedArguments: Sendable {
    package private(set) var positional: [String] = []
    private(set) var wantsHelp = false
    private var values: [String: [String]] = [:]
    private let command: String

    init<Action>(
        _ arguments: [String], of spec: CommandSpec<Action>, _ refusal: (String) -> String?
    ) throws(UsageError) {
        command = spec.name
        let options = spec.allOptions
        var rest = arguments[...]
        var onlyPositional = false
        while let argument = rest.popFirst() {
            if onlyPositional || argument == "-" || !argument.hasPrefix("-") {
                positional.append(argument)
            } else if argument == "--" {
                onlyPositional = true
            } else {
                try take(argument, &rest, options, refusal)
            }
        }
        if let limit = spec.limit, positional.count > limit, !wantsHelp {
            throw error("unexpected argument \"\(positional[limit])\"")
        }
    }

    private mutating func take(
        _ argument: String, _ rest: inout ArraySlice<String>, _ options: [OptionSpec],
        _ refusal: (String) -> String?
    ) throws(UsageError) {
        // Searches bytes, because `=` and a combining character after it form one `Character`.
        let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = String(argument[..<(equals ?? argument.endIndex)])
        let given = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
        guard let option = options.first(where: { $0.spellings.contains(name) }) else {
            // Text after the name may be a secret.
            let shown = String(
                decoding: name.utf8.prefix { $0 > 0x20 && $0 != UInt8(ascii: ":") }, as: UTF8.self)
            throw error(
                refusal(name)
                    ?? "unknown option \"\(shown)\"" + Suggestion.text(shown, of: options.map(\.name)))
        }
        guard values[option.name] == nil || option.repeats else {
            throw error("\(option.name) was given more than once")
        }
        if option.name == OptionSpec.help.name { wantsHelp = true }
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

    /// An error that refers to the help of this command.
    package func error(_ text: String) -> UsageError { UsageError(text, command: command) }

    /// Whether an option was given.
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// The first value of an option; `nil` if it was not given.
    package func value(_ name: String) -> String? { values[name]?.first }

    /// All values of an option, in order; empty if it was not given.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The integer value of an option; `nil` if it was not given. Throws if it is not an integer in `range`.
    package func number<Number: FixedWidthInteger>(
        _ name: String, in range: ClosedRange<Number>
    ) throws(UsageError) -> Number? {
        guard let text = value(name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            let most = range.upperBound == .max && Number.bitWidth > 16 ? "" : " to \(range.upperBound)"
            throw error("\(name) must be a whole number from \(range.lowerBound)\(most)")
        }
        return number
    }

    /// The choices that the values of an option name. Throws for an unknown name.
    package func choices<Choice>(
        _ name: String, of known: [Choice], named: (Choice) -> String
    ) throws(UsageError) -> [Choice] {
        var chosen: [Choice] = []
        for text in all(name) {
            guard let choice = known.first(where: { named($0) == text }) else {
                let names = known.map(named)
                throw error(
                    "\(name) must be one of \(names.joined(separator: ", ")), not \"\(text)\""
                        + Suggestion.text(text, of: names))
            }
            chosen.append(choice)
        }
        return chosen
    }
}
