import GatewaySuggestions

/// A program with commands.
package struct ProgramSpec<Action: Sendable>: Sendable {
    /// The result of reading a command line.
    package enum Invocation: Sendable {
        /// A text to print, such as the output of `--help`.
        case text(String)
        case command(Action, ParsedArguments)
    }

    package let name: String
    /// The output of `--version`; `nil` if the program does not have this option.
    package var version: String?
    package let commands: [CommandSpec<Action>]
    /// The output of `--help`.
    package let help: @Sendable () -> String
    /// Whether each command has its own help text. Default: `true`.
    package var hasCommandHelp = true
    /// Additional topics of `help` and their texts.
    package var topics: [String: @Sendable () -> String] = [:]
    /// Returns the error message for an unknown option; `nil` for the default message.
    package var refusal: @Sendable (_ option: String) -> String? = { _ in nil }

    package init(
        name: String, commands: [CommandSpec<Action>], help: @escaping @Sendable () -> String
    ) {
        self.name = name
        self.commands = commands
        self.help = help
    }

    /// Reads a command line, without the name of the program.
    package func invocation(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else { throw UsageError("no command was given") }
        let rest = Array(arguments.dropFirst())
        if let command = commands.first(where: { $0.name == first }) {
            let parsed = try ParsedArguments(rest, of: command, refusal)
            return parsed.wantsHelp ? .text(help(of: command)) : .command(command.action, parsed)
        }
        if first == "help" { return .text(try help(on: rest)) }
        // The help option always prints a help text, even if the other arguments are invalid.
        if OptionSpec.help.spellings.contains(first) { return .text((try? help(on: rest)) ?? help()) }
        if first == "--version", let version { return .text(version) }
        let what = first.hasPrefix("-") ? "option" : "command"
        let known = commands.map(\.name) + ["help", "--help"] + (version == nil ? [] : ["--version"])
        throw UsageError("unknown \(what) \"\(first)\"" + Suggestion.text(first, of: known))
    }

    /// The help text of a command or another topic. Without a topic, the help text of the program.
    package func help(on arguments: [String]) throws(UsageError) -> String {
        guard arguments.count <= 1 else { throw UsageError("only one topic can be given") }
        guard let topic = arguments.first, !OptionSpec.help.spellings.contains(topic) else { return help() }
        if let text = topics[topic] { return text() }
        guard let command = commands.first(where: { $0.name == topic }) else {
            let known = commands.map(\.name) + topics.keys.sorted()
            throw UsageError("unknown topic \"\(topic)\"" + Suggestion.text(topic, of: known))
        }
        return help(of: command)
    }

    private func help(of command: CommandSpec<Action>) -> String {
        hasCommandHelp ? command.help(of: name) : help()
    }

    /// The message for the user about an invalid command line.
    package func text(of error: UsageError) -> String {
        let command = hasCommandHelp ? error.command.map { $0 + " " } ?? "" : ""
        return "\(error.text)\nSee: \(name) \(command)--help"
    }
}
