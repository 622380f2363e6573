/// The text of trace IDs and call IDs.
enum TraceID {
    /// 32 hexadecimal digits.
    static func text(high: UInt64, low: UInt64) -> String { digits(high) + digits(low) }

    /// 16 hexadecimal digits.
    static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
