/// A command of a program: its command line, help and action.
package struct CommandSpec<Action: Sendable>: Sendable {
    package let name: String
    /// The arguments after the name, as shown in the help.
    package let arguments: String
    /// The maximum number of positional arguments; `nil` for any number.
    package let limit: Int?
    /// A short description without a full stop.
    package let summary: String
    /// Additional lines of the help.
    package let details: [String]
    package let options: [OptionSpec]
    /// Completions of the first argument in shells.
    package let words: [String]
    package let examples: [String]
    /// The last line of the help.
    package let end: String?
    /// The action of the command.
    package let action: Action

    package init(
        name: String, arguments: String = "", limit: Int? = 0, summary: String = "", details: [String] = [],
        options: [OptionSpec] = [], words: [String] = [], examples: [String] = [], end: String? = nil,
        action: Action
    ) {
        self.name = name
        self.arguments = arguments
        self.limit = limit
        self.summary = summary
        self.details = details
        self.options = options
        self.words = words
        self.examples = examples
        self.end = end
        self.action = action
    }

    /// All options, including `--help`.
    package var allOptions: [OptionSpec] { options + [.help] }

    /// The output of `--help`.
    func help(of program: String) -> String {
        var text = "\(program) \(name): \(summary)\n\nUsage:\n  \(program) \(name) \(arguments)\n"
        if !details.isEmpty { text += "\n" + details.map { $0 + "\n" }.joined() }
        text += "\nOptions:\n" + OptionSpec.table(of: allOptions)
        text += "\nExamples:\n" + examples.map { "  " + $0 + "\n" }.joined()
        return text + (end.map { "\n\($0)\n" } ?? "")
    }
}
