/// Dates as RFC 3339 writes them.
enum CalendarDate {
    /// The date and time of seconds since 1970-01-01T00:00:00Z, up to the year 9999; `nil` beyond.
    static func text(_ seconds: Double) -> String? {
        guard seconds >= 0, seconds < 253_402_300_800 else { return nil }
        let total = Int64(seconds)
        // Counted in years that begin in March, so that the leap day is the last.
        let days = total / 86_400 + 719_468
        let (era, dayOfEra) = (days / 146_097, days % 146_097)
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0)
        let time = total % 86_400
        return "\(pad(calendarYear, 4))-\(pad(calendarMonth))-\(pad(day))"
            + "T\(pad(time / 3600)):\(pad(time / 60 % 60)):\(pad(time % 60))Z"
    }

    private static func pad(_ number: Int64, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
