import GatewayClient

/// Dates as RFC 3339 writes them.
enum CalendarDate {
    /// The date and time of seconds since 1970-01-01T00:00:00Z, up to the year 9999; `nil` beyond.
    static func text(_ seconds: Double) -> String? {
        guard seconds >= 0, seconds < 253_402_300_800 else { return nil }
        return CivilDate.timestamp(.seconds(Int64(seconds)))
    }
}
