import GatewayLibC

/// Writes to standard error, and detects whether it is a terminal.
enum Terminal {
    /// Whether diagnostics are coloured: on a terminal, unless `NO_COLOR` is set (no-color.org).
    static var showsColour: Bool {
        guard isatty(STDERR_FILENO) == 1 else { return false }
        guard let value = unsafe getenv("NO_COLOR") else { return true }
        return unsafe value.pointee == 0
    }

    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func error(_ text: String) {
        errorRaw("gateway-openapi: " + text + "\n")
    }

    static func errorRaw(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
