import GatewayClient
import GatewayLibC

/// Standard output and standard error.
enum Console {
    /// The reader of standard output has closed it.
    struct BrokenPipe: Error {}

    /// Writes bytes to standard output; waits while its reader is slow.
    static func write(_ bytes: ArraySlice<UInt8>) throws {
        do throws(SystemFailure) { try FileBytes.writeAll(bytes, to: STDOUT_FILENO) } catch {
            if error.code == EPIPE { throw BrokenPipe() }
            throw CommandFailure(
                ExitStatus.network, "standard output cannot be written (errno \(error.code))")
        }
    }

    /// Writes text to standard output.
    static func print(_ text: String) throws { try write(Array(text.utf8)[...]) }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes lines to standard error.
    static func complain(_ lines: String...) { complain(lines: lines) }

    /// Writes lines to standard error. Each of them stays one line, whatever it contains.
    static func complain(lines: [String]) {
        let head = showsColour ? "\u{1B}[31mgateway:\u{1B}[0m " : "gateway: "
        let text = lines.map { printable($0) + "\n" }.joined()
        try? FileBytes.writeAll(Array((head + text).utf8)[...], to: STDERR_FILENO)
    }

    /// Writes a line of the timeline to standard error.
    static func note(time: String, _ text: String) {
        let stamp = showsColour ? "\u{1B}[2m[\(time)]\u{1B}[0m " : "[\(time)] "
        try? FileBytes.writeAll(Array((stamp + printable(text) + "\n").utf8)[...], to: STDERR_FILENO)
    }

    /// Whether the terminal has no escape sequences.
    static let isDumb = ProcessEnvironment.value("TERM") == "dumb"

    /// Whether standard error shows colours: on a terminal, unless `NO_COLOR` is set (no-color.org).
    static let showsColour: Bool = {
        guard isatty(STDERR_FILENO) == 1, !isDumb else { return false }
        guard let value = unsafe getenv("NO_COLOR") else { return true }
        return unsafe value.pointee == 0
    }()

    /// Text in one line, without control characters, which could move the cursor: they are replaced by question marks,
    /// and so are line feeds, after which a line of somebody else could follow.
    static func printable(_ text: String) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { printable.append(movesCursor(scalar) ? "?" : scalar) }
        return String(printable)
    }

    /// A JSON text in which the same characters are escaped. They occur only within strings.
    static func escapingJSON(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            if movesCursor(scalar) {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Whether a scalar is a control character (C0, DEL, C1), ends a line, or changes the direction of the text.
    private static func movesCursor(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
