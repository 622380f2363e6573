public import FoundationEssentials
public import GatewayJSON

/// The type of format `date-time`.
public typealias Date = FoundationEssentials.Date

extension Date {
    /// Reads an RFC 3339 `date-time` with any number of fraction digits; `nil` for any other text.
    ///
    /// A leap second is read as the first instant of the following minute.
    init?(rfc3339 text: String) { self.init(DigitReader(text)) }

    private init?(_ reader: DigitReader) {
        var reader = reader
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), let date = CalendarDate(year: year, month: month, day: day),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), hour < 24, reader.skip(":"), let minute = reader.number(2),
            minute < 60, reader.skip(":"), let second = reader.number(2), second <= 60
        else { return nil }
        var fraction = 0.0
        if reader.skip(".") {
            guard let digits = reader.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = Self.offset(&reader), reader.isAtEnd else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // Rounding up could turn the last fractions of the year 9999 into a year that cannot be encoded.
        let whole = Double(seconds - Self.referenceSeconds)
        self.init(timeIntervalSinceReferenceDate: min(whole + fraction, (whole + 1).nextDown))
    }

    private static func offset(_ reader: inout DigitReader) -> Int? {
        if reader.skip("Z") || reader.skip("z") { return 0 }
        let isNegative = reader.skip("-")
        guard isNegative || reader.skip("+"), let hours = reader.number(2), hours < 24, reader.skip(":"),
            let minutes = reader.number(2), minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return isNegative ? -offset : offset
    }

    /// 2001-01-01 in seconds since 1970-01-01.
    private static let referenceSeconds = 978_307_200

    /// The instant as `date-time` in UTC with 0, 3 or 6 fraction digits, as many as necessary. Precision: milliseconds;
    /// in the years 1730 to 2272, microseconds.
    /// `nil` outside the years 0 to 9999.
    var rfc3339: String? { rfc3339Bytes?.text }

    private var rfc3339Bytes: TextBytes? {
        let interval = timeIntervalSinceReferenceDate
        guard interval.isFinite, abs(interval) < 1e12 else { return nil }
        let whole = interval.rounded(.down)
        var seconds = Int(whole) + Self.referenceSeconds
        let fraction = interval - whole
        let millis = (fraction * 1_000).rounded()
        // Far from 2001 a date has fewer digits than microseconds. Three are written if they are the same instant.
        var micros = Int(
            whole + millis / 1_000 == interval ? millis * 1_000 : (fraction * 1_000_000).rounded())
        if micros == 1_000_000 {
            micros = 0
            seconds += 1
        }
        let time = ((seconds % 86_400) + 86_400) % 86_400
        guard let date = CalendarDate(daysSinceEpoch: (seconds - time) / 86_400) else { return nil }
        var bytes = TextBytes(capacity: 27)
        date.append(to: &bytes)
        bytes.append("T")
        bytes.append(time / 3_600, width: 2)
        bytes.append(":")
        bytes.append(time / 60 % 60, width: 2)
        bytes.append(":")
        bytes.append(time % 60, width: 2)
        if micros % 1_000 != 0 {
            bytes.append(".")
            bytes.append(micros, width: 6)
        } else if micros != 0 {
            bytes.append(".")
            bytes.append(micros / 1_000, width: 3)
        }
        bytes.append("Z")
        return bytes
    }
}

extension Date: JSONDecodable, JSONEncodable {
    /// Decodes an RFC 3339 `date-time`.
    public init(json: JSONElement) throws(JSONError) {
        guard let value = Date(DigitReader(try json.stringBytes())) else {
            throw json.wrongFormat(
                message: """
                    a date-time of RFC 3339 is expected; if the service sends other forms, set \
                    "formats: { date-time: String }" in the configuration of the generator
                    """)
        }
        self = value
    }
    /// Encodes an RFC 3339 `date-time` in UTC.
    public func write(to writer: inout JSONWriter) {
        guard let bytes = rfc3339Bytes?.bytes else {
            return writer.fail("a date is outside the years 0 to 9999")
        }
        writer.string(plain: bytes)
    }
}

extension Date: ParameterValue {
    /// An RFC 3339 `date-time` in UTC.
    public var parameterText: String { rfc3339 ?? "" }
    /// Whether the year is in 0 to 9999.
    public var hasParameterText: Bool { rfc3339Bytes != nil }
    /// Reads an RFC 3339 `date-time`; `nil` for any other text, such as an HTTP date.
    public init?(parameterText: String) { self.init(rfc3339: parameterText) }
}
