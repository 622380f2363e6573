import GatewayCore
import GatewayJSON

/// A line of a log, before it is written.
struct LogEntry: Sendable {
    /// The value of a field.
    enum Value: Sendable {
        case text(String)
        case integer(Int)
        case number(Double)
    }

    let level: JSONLogSink.Level
    let event: String
    /// Values without a field are left out.
    var fields: [(JSONLogSink.Field, Value?)]

    init(_ level: JSONLogSink.Level, _ event: String, _ fields: [(JSONLogSink.Field, Value?)]) {
        self.level = level
        self.event = event
        self.fields = fields
    }

    /// The line, with a line feed.
    ///
    /// - Parameters:
    ///   - unixTime: when it happened.
    ///   - allowed: the fields that are written.
    func line(at unixTime: Duration, allowed: Set<JSONLogSink.Field>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        let all: [(JSONLogSink.Field, Value?)] =
            [(.time, .text(LogTime.text(unixTime))), (.level, .text(level.name)), (.event, .text(event))]
            + fields
        for case (let field, let value?) in all where allowed.contains(field) {
            writer.name(field.rawValue)
            switch value {
            case .text(let text): writer.string(text)
            case .integer(let number): writer.integer(number)
            case .number(let number): writer.double(number.isFinite ? number : 0)
            }
        }
        writer.endObject()
        let bytes = (try? writer.finished()) ?? Array("{}".utf8)
        return bytes + [UInt8(ascii: "\n")]
    }
}

extension Duration {
    /// The duration in milliseconds, to a thousandth; not less than zero.
    var logMilliseconds: LogEntry.Value { .number(Double(metricNanoseconds / 1_000) / 1_000) }
}

/// The time of a line.
enum LogTime {
    /// A time since 1970 as in RFC 3339, such as `2026-01-01T00:00:00.000Z`.
    static func text(_ unixTime: Duration) -> String {
        let milliseconds = Int64(clamping: unixTime.metricNanoseconds / 1_000_000)
        let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000)
        // Days since 0000-03-01, in eras of 400 years.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T\(digits(rest / 3_600_000, 2)):"
            + "\(digits(rest / 60_000 % 60, 2)):\(digits(rest / 1_000 % 60, 2)).\(digits(rest % 1_000, 3))Z"
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
