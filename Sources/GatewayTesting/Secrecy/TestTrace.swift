import GatewayCore
private import GatewayLibC

/// A trace of the project's own tests: if the environment variable `GATEWAY_TEST_TRACE` is set, events, errors and
/// other values are written to standard error, in all textual forms.
///
/// ``TraceBound`` limits the output. When the process exits, one line states the number of omitted values.
package enum TestTrace {
    /// Whether the trace is enabled.
    package static let isOn = unsafe getenv("GATEWAY_TEST_TRACE") != nil

    private static let bound: Locked<TraceBound> = {
        atexit { TestTrace.showLeftOut() }
        return Locked(TraceBound())
    }()

    /// Writes the description, the debug description and the dump of a value, in lines that start with `trace`.
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
                "\(leftOut) values were omitted, of which \(TraceBound.limit) of the same form were written")
        }
    }

    private static func print(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { "trace \($0)\n" }.joined()
        try? FileBytes.writeAll(Array(lines.utf8)[...], to: 2)
    }
}
