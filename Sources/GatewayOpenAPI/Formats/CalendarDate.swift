public import GatewayJSON

/// A day of the Gregorian calendar, without time and zone (RFC 3339, `full-date`): format `date`.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 0 to 9999.
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to 31, as many as the month has.
    public let day: Int

    /// A day; `nil` when there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month),
            day >= 1, day <= Self.days(in: month, of: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// A day from `2024-02-29`; `nil` when the text is anything else.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `2024-02-29`.
    public var description: String {
        var bytes = TextBytes(capacity: 10)
        append(to: &bytes)
        return bytes.text
    }

    func append(to bytes: inout TextBytes) {
        bytes.append(year, width: 4)
        bytes.append("-")
        bytes.append(month, width: 2)
        bytes.append("-")
        bytes.append(day, width: 2)
    }

    /// Compares in time.
    public static func < (a: CalendarDate, b: CalendarDate) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01.
    var daysSinceEpoch: Int {
        // March is the first month, so that a leap day is the last of its year; an era has 400 years.
        let y = month > 2 ? year : year - 1
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The day that lies so many days after 1970-01-01; `nil` outside the years 0 to 9999.
    init?(daysSinceEpoch days: Int) {
        guard (-719_528...2_932_896).contains(days) else { return nil }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension CalendarDate: JSONDecodable, JSONEncodable {
    /// Reads `"2024-02-29"`.
    public init(json: JSONElement) throws(JSONError) {
        guard let value = CalendarDate(try json.string()) else { throw json.wrongFormat("a date") }
        self = value
    }
    /// Writes `"2024-02-29"`.
    public func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension CalendarDate: ParameterValue {
    /// `2024-02-29`.
    public var parameterText: String { description }
    /// `2024-02-29`.
    public init?(parameterText: String) { self.init(parameterText) }
}
