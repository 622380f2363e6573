#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The highest level of logging in the project's own tests: where the environment variable `GATEWAY_TEST_TRACE` is
/// set, events, errors and what else comes by are written to standard error with all that printing makes of them.
package enum TestTrace {
    /// Whether anybody asked for it.
    package static let isOn = unsafe getenv("GATEWAY_TEST_TRACE") != nil

    /// Writes a value as text, as debugging text, and dumped, in lines that begin with `trace`.
    package static func show(_ value: @autoclosure () -> Any) {
        guard isOn else { return }
        let value = value()
        var text = "\(value)\n\(String(reflecting: value))\n"
        dump(value, to: &text)
        let lines = text.split(whereSeparator: \.isNewline).map { "trace \($0)\n" }.joined()
        let bytes = Array(lines.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }
}
