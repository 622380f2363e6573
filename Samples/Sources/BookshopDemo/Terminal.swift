import Foundation

/// What goes to the terminal. Colours only where it is one.
enum Terminal {
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    static func heading(_ text: String) { print(isTerminal ? "\n\u{1B}[1m\(text)\u{1B}[0m" : "\n\(text)") }

    static func line(_ text: String) { print("  " + text) }

    /// What a person who looks on wants to know; nothing where standard output is no terminal.
    static func note(_ text: String) {
        guard isTerminal else { return }
        let now = Date.now.formatted(
            Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false))
        print("\(now)  \(text)")
        fflush(nil)
    }

    static func verdict(isGood: Bool, _ text: String) {
        let mark = isGood ? "ok" : "FAILED"
        print(isTerminal ? "\n\u{1B}[\(isGood ? 32 : 31)m\(mark)\u{1B}[0m: \(text)" : "\n\(mark): \(text)")
    }

    static func complain(_ text: String) {
        FileHandle.standardError.write(Data("bookshop-demo: \(text)\n".utf8))
    }
}

extension Duration {
    /// Milliseconds with one decimal.
    var inMilliseconds: String {
        let tenths = Int((self / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
