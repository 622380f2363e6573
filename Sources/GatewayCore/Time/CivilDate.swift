/// A day of the proleptic Gregorian calendar in UTC.
package struct CivilDate: Equatable, Sendable {
    package let year: Int64
    /// From 1.
    package let month: Int64
    /// From 1.
    package let day: Int64

    /// A day; `nil` if there is no such day.
    package init?(year: Int64, month: Int64, day: Int64) {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let last: Int64 = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        guard Self.years.contains(year), (1...12).contains(month), (1...last).contains(day) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// A day by its distance from 1970-01-01, which is bounded to a million years.
    package init(daysSince1970 days: Int64) {
        // The year counts from March, so that the leap day is its last; an era has 400 years.
        let shifted = min(max(days, -365_242_500), 365_242_500) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    private static let years: ClosedRange<Int64> = -1_000_000...1_000_000

    /// Days since 1970-01-01.
    package var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// A time as RFC 3339 writes it, such as `2026-01-31T12:00:00Z`; it is bounded first.
    ///
    /// - Parameters:
    ///   - unixTime: the time since 1970-01-01T00:00:00Z.
    ///   - showsMilliseconds: whether three digits of the fraction are written.
    package static func timestamp(_ unixTime: Duration, showsMilliseconds: Bool = false) -> String {
        let milliseconds = unixTime.wholeMilliseconds
        let time = (milliseconds % 86_400_000 + 86_400_000) % 86_400_000
        let date = CivilDate(daysSince1970: (milliseconds - time) / 86_400_000)
        return
            "\(digits(date.year, 4))-\(digits(date.month))-\(digits(date.day))T\(digits(time / 3_600_000)):"
            + "\(digits(time / 60_000 % 60)):\(digits(time / 1_000 % 60))"
            + (showsMilliseconds ? ".\(digits(time % 1_000, 3))Z" : "Z")
    }

    /// A number with leading zeros.
    static func digits(_ number: Int64, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
