/// An option of a command, for the parser, the help and shell completion.
package struct OptionSpec: Sendable {
    /// The kind of value, which determines its shell completion.
    package enum Value: Sendable {
        /// No value: the option is a flag.
        case none
        /// Text that cannot be completed.
        case text(String)
        /// The path of a file.
        case file(String)

        /// The name of the value in the help; `nil` for a flag.
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
    /// The lines of the help.
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

    /// The accepted spellings.
    package var spellings: [String] { [name] + (short.map { [$0] } ?? []) }

    /// The lines of the help that describe options.
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

    /// Pads a text with spaces to a width, in UTF-8 bytes.
    package static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}
