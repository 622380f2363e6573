/// Dates of HTTP fields (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970-01-01T00:00:00Z of an IMF-fixdate, RFC 850 date or asctime date; `nil` for anything
    /// else.
    ///
    /// - Parameters:
    ///   - text: the date.
    ///   - unixTime: now, by which a year of two digits is placed within 50 years.
    package static func parse(_ text: String, unixTime: Duration) -> Int64? {
        let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }
        guard parts.count >= 5 else { return nil }
        let isAsctime = months.contains(String(parts[1]))
        let (day, month, year, time) =
            isAsctime
            ? (parts[2], parts[1], parts[4], parts[3]) : (parts[1], parts[2], parts[3], parts[4])
        guard isAsctime ? parts.count == 5 : parts.count == 6 && parts[5] == "GMT",
            let day = Int64(day), (1...31).contains(day),
            let month = months.firstIndex(of: String(month)),
            var fullYear = Int64(year), (0...9999).contains(fullYear)
        else { return nil }
        if year.count == 2 {
            let current = civil(daysSince1970: unixTime.wholeSeconds / 86_400)
            fullYear += current / 100 * 100
            if fullYear > current + 50 { fullYear -= 100 }
        }
        let clock = time.split(separator: ":").map { Int64($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return days(year: fullYear, month: Int64(month + 1), day: day) * 86_400 + hour * 3600 + minute * 60
            + second
    }

    /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The year in which a day lies, close enough to place a century.
    private static func civil(daysSince1970: Int64) -> Int64 { 1970 + daysSince1970 * 400 / 146_097 }
}
