/// The `Retry-After` field (RFC 9110 §10.2.3) in both forms.
public enum RetryAfter {
    /// The longest wait that is believed: a day. Whatever asks for more means "not soon".
    public static let longest = Duration.seconds(86_400)

    /// Reads the field's value.
    ///
    /// - Parameters:
    ///   - value: seconds (a fraction is rounded up), or an HTTP date in any of the three forms of RFC 9110
    ///     §5.6.7, with `GMT`, `UTC` or `+0000`.
    ///   - unixTime: the wall clock's now.
    /// - Returns: the wait, from zero to ``longest``: a negative number or a date in the past is zero, a huge
    ///   one is ``longest``; `nil` where the value is neither form.
    public static func parse(_ value: String, unixTime: Duration) -> Duration? {
        let text = value.trimmingHTTPWhitespace()
        if let seconds = Double(text), text.utf8.allSatisfy({ $0 < 0x3A || $0 | 0x20 == UInt8(ascii: "e") }) {
            guard seconds > 0 else { return .zero }
            return seconds >= 86_400 ? longest : .seconds(Int64(seconds.rounded(.up)))
        }
        guard let date = HTTPDate.parse(text, unixTime: unixTime, allowsUTC: true) else { return nil }
        return min(max(.seconds(date) - unixTime.bounded, .zero), longest)
    }
}

extension String {
    /// The text without the optional white space around it (RFC 9110 §5.6.3).
    package func trimmingHTTPWhitespace() -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let bytes = utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }),
            let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }
}
