import Foundation

/// What goes to the person at the keyboard.
enum Terminal {
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    private static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Says what is going on: on a terminal in one line that changes, else a line each.
    static func progress(_ text: String) { write(isErrorTerminal ? "\r\u{1B}[K" + text : text + "\n") }

    /// Takes the changing line away.
    static func endProgress() { if isErrorTerminal { write("\r\u{1B}[K") } }

    static func complain(_ text: String) { write(text + "\n") }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
