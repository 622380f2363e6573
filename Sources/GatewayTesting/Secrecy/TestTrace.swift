import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The highest level of logging in the project's own tests: where the environment variable `GATEWAY_TEST_TRACE` is
/// set, events, errors and other values are written to standard error, with everything that printing shows of them.
///
/// ``TraceBound`` limits what a storm writes. When the process exits, one line says how many values were left out.
package enum TestTrace {
    /// Whether the trace is written.
    package static let isOn = unsafe getenv("GATEWAY_TEST_TRACE") != nil

    private static let bound: Locked<TraceBound> = {
        atexit { TestTrace.showLeftOut() }
        return Locked(TraceBound())
    }()

    /// Writes a value as text, as debugging text, and dumped, in lines that begin with `trace`.
    package static func show(_ value: @autoclosure () -> Any) {
        guard isOn else { return }
        let value = value()
        var text = "\(value)\n"
        let count = bound.withLock { $0.count(text) }
        guard count <= TraceBound.limit else { return }
        text += "\(String(reflecting: value))\n"
        dump(value, to: &text)
        if count == TraceBound.limit { text += "more values of this form are counted, not written\n" }
        print(text)
    }

    private static func showLeftOut() {
        let leftOut = bound.withLock { $0.leftOut }
        if leftOut > 0 {
            print(
                "\(leftOut) values were left out, of which \(TraceBound.limit) of the same form were written")
        }
    }

    private static func print(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { "trace \($0)\n" }.joined()
        let bytes = Array(lines.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    }
}
