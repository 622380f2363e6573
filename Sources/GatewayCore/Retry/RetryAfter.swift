/// Parses the `Retry-After` field in both forms (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// The maximum delay: 24 h. Longer delays are clamped.
    public static let longest = Duration.seconds(86_400)

    /// Parses the value of the field.
    ///
    /// - Parameters:
    ///   - value: seconds (a fraction is rounded up), or an HTTP date in any of the three forms of RFC 9110 §5.6.7,
    ///     with the zone `GMT`, `UTC` or `+0000`.
    ///   - unixTime: the current time since 1970-01-01T00:00:00Z.
    /// - Returns: the delay, clamped to zero…``longest``. A negative number or a date in the past is zero. `nil` if the
    ///   value is invalid.
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
    /// The text without leading and trailing optional white space (RFC 9110 §5.6.3).
    package func trimmingHTTPWhitespace() -> String { String(self[...].trimmingHTTPWhitespace()) }
}

extension Substring {
    /// The text without leading and trailing optional white space (RFC 9110 §5.6.3).
    func trimmingHTTPWhitespace() -> Substring {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let first = utf8.firstIndex(where: { !isSpace($0) }),
            let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return self[first...last]
    }
}
