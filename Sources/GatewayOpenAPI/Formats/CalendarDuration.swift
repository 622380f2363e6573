public import GatewayJSON

/// A calendar duration: format `duration` (RFC 3339, appendix A; ISO 8601). The parts are stored separately, because
/// months and days have no fixed length.
public struct CalendarDuration: Hashable, Sendable, CustomStringConvertible {
    /// The number of years, months, weeks and days.
    public var years = 0, months = 0, weeks = 0, days = 0
    /// The number of hours and minutes.
    public var hours = 0, minutes = 0
    /// The number of seconds, with a fraction.
    public var seconds = 0.0

    /// Creates a duration from its parts. A duration with a negative part cannot be encoded.
    public init(
        years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0, hours: Int = 0, minutes: Int = 0,
        seconds: Double = 0
    ) {
        self.years = years
        self.months = months
        self.weeks = weeks
        self.days = days
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
    }

    /// Reads `P1Y2M3DT4H5M6.5S` or `P2W`; `nil` for any other text.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)[...]
        guard bytes.popFirst() == UInt8(ascii: "P"), !bytes.isEmpty else { return nil }
        var units = Array("YMWD".utf8)[...]
        var isTime = false
        while !bytes.isEmpty {
            if bytes.first == UInt8(ascii: "T"), !isTime {
                bytes.removeFirst()
                guard !bytes.isEmpty else { return nil }
                isTime = true
                units = Array("HMS".utf8)[...]
                continue
            }
            let digits = bytes.prefix { $0 &- UInt8(ascii: "0") < 10 || $0 == UInt8(ascii: ".") }
            bytes = bytes.dropFirst(digits.count)
            // Each unit occurs at most once, and in this order.
            guard let unit = bytes.popFirst(), let place = units.firstIndex(of: unit) else { return nil }
            units = units[(place + 1)...]
            guard set(unit, isTime, String(decoding: digits, as: UTF8.self)) else { return nil }
        }
    }

    private mutating func set(_ unit: UInt8, _ isTime: Bool, _ digits: String) -> Bool {
        if unit == UInt8(ascii: "S") {
            guard let value = Double(digits), value.isFinite, !digits.hasPrefix("."), !digits.hasSuffix(".")
            else { return false }
            seconds = value
            return true
        }
        guard let value = Int(digits) else { return false }
        switch (unit, isTime) {
        case (UInt8(ascii: "Y"), _): years = value
        case (UInt8(ascii: "M"), false): months = value
        case (UInt8(ascii: "W"), _): weeks = value
        case (UInt8(ascii: "D"), _): days = value
        case (UInt8(ascii: "H"), _): hours = value
        default: minutes = value
        }
        return true
    }

    /// The duration in the form `P1Y2M3DT4H5M6.5S`; `PT0S` if all parts are zero.
    public var description: String {
        var date = ""
        for (value, unit) in [(years, "Y"), (months, "M"), (weeks, "W"), (days, "D")] where value != 0 {
            date += "\(value)\(unit)"
        }
        var time = ""
        if hours != 0 { time += "\(hours)H" }
        if minutes != 0 { time += "\(minutes)M" }
        if seconds != 0 { time += Self.digits(of: seconds) + "S" }
        if date.isEmpty, time.isEmpty { return "PT0S" }
        return "P" + date + (time.isEmpty ? "" : "T" + time)
    }

    /// The decimal digits of a number. Durations do not allow exponents.
    private static func digits(of value: Double) -> String {
        let text = Int(exactly: value).map { String($0) } ?? value.description
        guard let mark = text.firstIndex(of: "e"), let power = Int(text[text.index(after: mark)...]) else {
            return text
        }
        let digits = text[..<mark].filter { $0 != "." }
        if power < 0 { return "0." + String(repeating: "0", count: -power - 1) + digits }
        return digits + String(repeating: "0", count: max(0, power + 1 - digits.count))
    }
}

extension CalendarDuration: JSONDecodable, JSONEncodable {
    /// Decodes a string such as `"PT1H30M"`.
    public init(json: JSONElement) throws(JSONError) { self = try json.formatted("a duration") }
    /// Encodes a string such as `"PT1H30M"`.
    public func write(to writer: inout JSONWriter) {
        guard hasParameterText else { return writer.fail("a duration is negative or not finite") }
        writer.string(description)
    }
}

extension CalendarDuration: ParameterValue {
    /// The duration in the form `PT1H30M`.
    public var parameterText: String { description }
    /// Whether no part is negative and the seconds are finite. The format does not allow a sign.
    public var hasParameterText: Bool {
        [years, months, weeks, days, hours, minutes].allSatisfy { $0 >= 0 } && seconds >= 0
            && seconds.isFinite
    }
    /// Reads a duration such as `PT1H30M`; `nil` for any other text.
    public init?(parameterText: String) { self.init(parameterText) }
}
