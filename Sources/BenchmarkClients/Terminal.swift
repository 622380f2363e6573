package import FoundationEssentials
import Glibc

/// What goes to the person at the keyboard.
package enum Terminal {
    package static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    private static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Says what is going on: on a terminal in one line that changes, else a line each.
    package static func progress(_ text: String) {
        write(isErrorTerminal ? "\r\u{1B}[K" + text : text + "\n")
    }

    /// Takes the changing line away.
    package static func endProgress() { if isErrorTerminal { write("\r\u{1B}[K") } }

    package static func complain(_ text: String) { write(text + "\n") }

    /// Prints a line of output.
    package static func printLine(_ line: Data) { write(line + [0x0A], to: STDOUT_FILENO) }

    private static func write(_ text: String) { write(Data(text.utf8), to: STDERR_FILENO) }

    private static func write(_ data: Data, to descriptor: Int32) {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
