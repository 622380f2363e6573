internal import GatewayCore
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
        guard (0...9_999).contains(year),
            CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) != nil
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

    /// Days since 1970-01-01.
    var daysSinceEpoch: Int { Int(civil?.daysSince1970 ?? 0) }

    private var civil: CivilDate? { CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) }

    /// The day that lies so many days after 1970-01-01; `nil` outside the years 0 to 9999.
    init?(daysSinceEpoch days: Int) {
        guard (-719_528...2_932_896).contains(days) else { return nil }
        let date = CivilDate(daysSince1970: Int64(days))
        self.init(year: Int(date.year), month: Int(date.month), day: Int(date.day))
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
