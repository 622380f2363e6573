import GatewayCore
import GatewayTesting

/// A scripted origin: it replies to the requests of each ``CacheRow`` over HTTP.
struct CacheOrigin: Sendable {
    static let content = "0123456789"

    /// Text of the header lines, with the dates of a time.
    static func dated(_ line: String, _ unixTime: Int64) -> String {
        guard let open = line.firstIndex(of: "{"), let close = line.firstIndex(of: "}") else { return line }
        let parts = line[line.index(after: open)..<close].split(separator: ":")
        let seconds = unixTime + (Int64(parts[0]) ?? 0)
        let form = parts.count > 1 ? String(parts[1]) : ""
        return line[..<open] + date(seconds, form) + line[line.index(after: close)...]
    }

    /// A date in IMF-fixdate, or in the form `850`, `asctime`, or with an oddity.
    static func date(_ seconds: Int64, _ form: String = "") -> String {
        let days = seconds.quotientRoundingDown(86_400)
        let second = seconds - days * 86_400
        let civil = CivilDate(daysSince1970: days)
        let (year, month, day) = (civil.year, Int(civil.month), civil.day)
        let weekday = (days + 4).modulo(7)
        let short = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday]
        let full = [
            "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
        ][weekday]
        let name = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][month - 1]
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hour, minute) = (second / 3600, second % 3600 / 60)
        let time = "\(two(hour)):\(two(minute)):\(two(second % 60))"
        let d = two(day)
        switch form {
        case "850": return "\(full), \(d)-\(name)-\(two(year % 100)) \(time) GMT"
        case "asctime": return "\(short) \(name) \(day < 10 ? " \(day)" : "\(day)") \(time) \(year)"
        case "weekdaycase": return "\(short.lowercased()), \(d) \(name) \(year) \(time) GMT"
        case "monthcase": return "\(short), \(d) \(name.uppercased()) \(year) \(time) GMT"
        case "gmtcase": return "\(short), \(d) \(name) \(year) \(time) gMT"
        case "shortyear": return "\(short), \(d) \(name) \(two(year % 100)) \(time) GMT"
        case "shorthour": return "\(short), \(d) \(name) \(year) 9:00:00 GMT"
        case "nocomma": return "\(short) \(d) \(name) \(year) \(time) GMT"
        case "doublespace": return "\(short),  \(d)  \(name)  \(year)  \(time)  GMT"
        case "dashes": return "\(short), \(d)-\(name)-\(year) \(time) GMT"
        case "dots":
            return "\(short), \(d) \(name) \(year) \(time.map { $0 == ":" ? "." : "\($0)" }.joined()) GMT"
        case "utc": return "\(short), \(d) \(name) \(year) \(time) UTC"
        case "aest": return "\(short), \(d) \(name) \(year) \(time) AEST"
        default: return "\(short), \(d) \(name) \(year) \(time) GMT"
        }
    }

    /// The bytes of a reply. Dates of header lines count from the start, but `Date` from now.
    static func reply(
        _ status: Int, _ lines: [String], method: String, start: Int64, now: Int64
    ) -> String {
        let hasBody = status != 204 && status != 304
        var head = ["HTTP/1.1 \(status) Status"]
        if !lines.contains(where: { $0.lowercased().hasPrefix("date:") || $0 == "-Date" }) {
            head.append("Date: \(date(now))")
        }
        if hasBody, !lines.contains(where: { $0.hasPrefix("Content-Length:") }) {
            head.append("Content-Length: \(content.utf8.count)")
        }
        head += lines.filter { $0 != "-Date" }.map { dated($0, start) }
        return head.joined(separator: "\r\n") + "\r\n\r\n" + (hasBody && method != "HEAD" ? content : "")
    }
}

extension Int64 {
    fileprivate func quotientRoundingDown(_ divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
    fileprivate func modulo(_ divisor: Int64) -> Int { Int(((self % divisor) + divisor) % divisor) }
}
