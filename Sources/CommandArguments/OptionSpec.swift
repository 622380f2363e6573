/// An option of a command, for the parser, the help and the completion in shells.
package struct OptionSpec: Sendable {
    /// The value of an option, as shells complete it.
    package enum Value: Sendable {
        /// Nothing: the option is a switch.
        case none
        /// Text that cannot be completed.
        case text(String)
        /// The path of a file.
        case file(String)

        /// Its name in the help.
        package var name: String? {
            switch self {
            case .none: nil
            case .text(let name), .file(let name): name
            }
        }
    }

    package let name: String
    package let short: String?
    package let value: Value
    package let repeats: Bool
    /// Lines of help.
    package let help: [String]

    package init(
        _ name: String, _ short: String? = nil, _ value: Value = .none, repeats: Bool = false,
        help: String...
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.repeats = repeats
        self.help = help
    }

    package static let help = OptionSpec("--help", "-h", help: "Shows this text.")

    /// The spellings that are accepted.
    package var spellings: [String] { [name] + (short.map { [$0] } ?? []) }

    /// The lines of options in a help.
    package static func table(of options: [OptionSpec]) -> String {
        let column = options.contains { $0.short != nil } ? "    " : ""
        let heads = options.map { option in
            (option.short.map { $0 + ", " } ?? column) + option.name
                + (option.value.name.map { " " + $0 } ?? "")
        }
        let width = (heads.map(\.utf8.count).max() ?? 0) + 2
        var text = ""
        for (head, option) in zip(heads, options) {
            for (number, line) in option.help.enumerated() {
                text += "  " + padded(number == 0 ? head : "", width) + line + "\n"
            }
        }
        return text
    }

    /// Text with blanks up to a width.
    package static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
