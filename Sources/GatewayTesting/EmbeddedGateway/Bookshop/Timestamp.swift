import GatewayCore

/// Instants as in the document (RFC 3339 §5.6), in UTC.
enum Timestamp {
    /// `2026-01-31T12:00:00Z`.
    static func text(_ unixTime: Duration) -> String { CivilDate.timestamp(unixTime) }

    /// Whether a text has the form of a full date: `2026-01-31`.
    static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } }),
            let month = Int(parts[1]), let day = Int(parts[2])
        else { return false }
        return (1...12).contains(month) && (1...31).contains(day)
    }

    /// Whether a text has the form of an instant: date, time, and offset.
    static func isInstant(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[10] == UInt8(ascii: "T"), isDate(String(text.prefix(10))) else {
            return false
        }
        return bytes[13] == UInt8(ascii: ":") && bytes[16] == UInt8(ascii: ":")
            && (bytes.last == UInt8(ascii: "Z") || bytes[bytes.count - 3] == UInt8(ascii: ":"))
    }
}
