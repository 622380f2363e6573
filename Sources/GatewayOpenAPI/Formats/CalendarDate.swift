internal import GatewayCore
public import GatewayJSON

/// A date of the Gregorian calendar, without time and time zone (RFC 3339, `full-date`): format `date`.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year, 0 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day, from 1 to the number of days of the month.
    public let day: Int

    /// Creates a date; `nil` if it does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9_999).contains(year),
            CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) != nil
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads a date such as `2024-02-29`; `nil` for any other text.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The date in the form `2024-02-29`.
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

    /// Whether a date is earlier than another.
    public static func < (a: CalendarDate, b: CalendarDate) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    /// Days since 1970-01-01.
    var daysSinceEpoch: Int { Int(civil?.daysSince1970 ?? 0) }

    private var civil: CivilDate? { CivilDate(year: Int64(year), month: Int64(month), day: Int64(day)) }

    /// The date at a number of days after 1970-01-01; `nil` outside the years 0 to 9999.
    init?(daysSinceEpoch days: Int) {
        guard (-719_528...2_932_896).contains(days) else { return nil }
        let date = CivilDate(daysSince1970: Int64(days))
        self.init(year: Int(date.year), month: Int(date.month), day: Int(date.day))
    }
}

extension CalendarDate: JSONDecodable, JSONEncodable {
    /// Decodes a string such as `"2024-02-29"`.
    public init(json: JSONElement) throws(JSONError) {
        guard let date = CalendarDate(try json.string()) else {
            throw json.wrongFormat(
                message: """
                    a date of RFC 3339 is expected; if the service sends other forms, set \
                    "formats: { date: String }" in the configuration of the generator
                    """)
        }
        self = date
    }
    /// Encodes a string such as `"2024-02-29"`.
    public func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension CalendarDate: ParameterValue {
    /// The date in the form `2024-02-29`.
    public var parameterText: String { description }
    /// Reads a date such as `2024-02-29`; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}
