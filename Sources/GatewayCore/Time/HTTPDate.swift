/// Dates in HTTP fields (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = "janfebmaraprmayjunjulaugsepoctnovdec"
    private static let weekdays = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// Parses an IMF-fixdate, an RFC 850 date or an asctime date; `nil` for anything else. Letters are
    /// case-insensitive. The weekday is not compared with the date.
    ///
    /// - Parameters:
    ///   - text: the date.
    ///   - unixTime: the current time, which determines the century of a two-digit year: at most 50 years in the
    ///     future.
    ///   - allowsUTC: whether the zone may also be `UTC`, `+0000` or `-0000`, as in RFC 5322.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    package static func parse(_ text: String, unixTime: Duration, allowsUTC: Bool = false) -> Int64? {
        var reader = Reader(text, allowsUTC: allowsUTC)
        let weekday = reader.letters()
        let isFull = weekdays.contains(weekday)
        guard isFull || weekdays.contains(where: { $0.utf8.count > 3 && $0.prefix(3) == weekday }) else {
            return nil
        }
        let date: Int64?
        if reader.skip(",") {
            guard reader.skip(" ") else { return nil }
            date = isFull ? reader.obsoleteDate(unixTime: unixTime) : reader.fixedDate()
        } else {
            date = isFull ? nil : reader.asctimeDate()
        }
        return reader.isAtEnd ? date : nil
    }

    /// Formats an IMF-fixdate.
    ///
    /// - Parameter unixTime: seconds since 1970-01-01T00:00:00Z, clamped to the years 1…9999.
    package static func format(_ unixTime: Int64) -> String {
        let seconds = min(max(unixTime, -62_135_596_800), 253_402_300_799)
        let second = (seconds % 86_400 + 86_400) % 86_400
        let date = CivilDate(daysSince1970: (seconds - second) / 86_400)
        let weekday = weekdays[Int((date.daysSince1970 % 7 + 10) % 7)].prefix(3).capitalizedFirst
        let name = months.dropFirst(3 * Int(date.month - 1)).prefix(3).capitalizedFirst
        let time = [second / 3600, second / 60 % 60, second % 60].map { CivilDate.digits($0) }
            .joined(separator: ":")
        return
            "\(weekday), \(CivilDate.digits(date.day)) \(name) \(CivilDate.digits(date.year, 4)) \(time) GMT"
    }

    private struct Reader {
        private let bytes: [UInt8]
        private let allowsUTC: Bool
        private var index = 0

        init(_ text: String, allowsUTC: Bool) {
            bytes = Array(text.trimmingHTTPWhitespace().utf8)
            self.allowsUTC = allowsUTC
        }

        var isAtEnd: Bool { index == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// Reads letters and returns them in lower case.
        mutating func letters() -> String {
            let start = index
            while index < bytes.count, (bytes[index] | 0x20) &- 0x61 < 26 { index += 1 }
            return String(decoding: bytes[start..<index].map { $0 | 0x20 }, as: UTF8.self)
        }

        /// Reads exactly `count` digits.
        mutating func digits(_ count: Int) -> Int64? {
            guard bytes.count - index >= count else { return nil }
            var value: Int64 = 0
            for byte in bytes[index..<(index + count)] {
                guard byte &- 0x30 < 10 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            index += count
            return value
        }

        /// Reads the name of a month and returns its number from 1.
        mutating func month() -> Int64? {
            let name = letters()
            guard name.utf8.count == 3 else { return nil }
            var rest = HTTPDate.months[...]
            for month in 1...12 {
                if rest.hasPrefix(name) { return Int64(month) }
                rest = rest.dropFirst(3)
            }
            return nil
        }

        /// Reads a time and returns the seconds of the day.
        mutating func time() -> Int64? {
            guard let hour = digits(2), skip(":"), let minute = digits(2), skip(":"), let second = digits(2),
                hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3600 + minute * 60 + second
        }

        /// Reads the zone. Returns whether it is allowed.
        mutating func zone() -> Bool {
            let name = letters()
            guard allowsUTC, name != "gmt" else { return name == "gmt" }
            guard name.isEmpty else { return name == "utc" }
            return (skip("+") || skip("-")) && digits(4) == 0
        }

        /// Reads `06 Nov 1994 08:49:37 GMT`.
        mutating func fixedDate() -> Int64? {
            guard let day = digits(2), skip(" "), let month = month(), skip(" "), let year = digits(4),
                skip(" "), let time = time(), skip(" "), zone()
            else { return nil }
            return HTTPDate.seconds(year, month, day, time)
        }

        /// Reads `06-Nov-94 08:49:37 GMT`.
        mutating func obsoleteDate(unixTime: Duration) -> Int64? {
            guard let day = digits(2), skip("-"), let month = month(), skip("-"), let year = digits(2),
                skip(" "), let time = time(), skip(" "), zone()
            else { return nil }
            let current = CivilDate(daysSince1970: unixTime.wholeSeconds / 86_400).year
            var full = year + current / 100 * 100
            if full > current + 50 { full -= 100 }
            return HTTPDate.seconds(full, month, day, time)
        }

        /// Reads `Nov  6 08:49:37 1994`, after the weekday.
        mutating func asctimeDate() -> Int64? {
            guard skip(" "), let month = month(), skip(" ") else { return nil }
            guard let day = skip(" ") ? digits(1) : digits(2), skip(" "), let time = time(), skip(" "),
                let year = digits(4)
            else { return nil }
            return HTTPDate.seconds(year, month, day, time)
        }
    }

    private static func seconds(_ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64) -> Int64? {
        CivilDate(year: year, month: month, day: day).map { $0.daysSince1970 * 86_400 + time }
    }
}

extension Substring {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
