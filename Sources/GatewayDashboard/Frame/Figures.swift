import GatewayCore
import GatewayTelemetry

/// Numbers as sentences have them.
enum Figures {
    /// `1,204`.
    static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// `92 %`; one decimal below 10 %.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0 %" }
        let percent = Double(part) / Double(whole) * 100
        return decimal(percent) + " %"
    }

    /// `88 ms`, `3.2 s`, `12 min`.
    static func duration(_ value: Duration) -> String {
        let milliseconds = value.milliseconds
        if milliseconds < 1_000 { return decimal(milliseconds) + " ms" }
        if milliseconds < 120_000 { return decimal(milliseconds / 1_000) + " s" }
        return milliseconds < 7_200_000
            ? decimal(milliseconds / 60_000) + " min" : decimal(milliseconds / 3_600_000) + " h"
    }

    /// A number with one decimal below 10, otherwise without.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "0" }
        if value >= 9.95 { return count(Int(value.rounded())) }
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension Duration {
    /// Milliseconds, rounded to hundredths; not less than 0.
    var milliseconds: Double { Double(metricNanoseconds).nanosecondsAsMilliseconds }
}

extension Double {
    /// Nanoseconds in milliseconds, rounded to hundredths.
    var nanosecondsAsMilliseconds: Double { (self / 10_000).rounded() / 100 }
}

extension String {
    /// The text as it is shown: up to a number of bytes of UTF-8, with an ellipsis if something is cut, and without characters
    /// that begin a line, change the direction or are not visible. Characters may consist of any number of scalars.
    func cut(to limit: Int) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        var text = String.UnicodeScalarView()
        var size = 0
        for scalar in unicodeScalars {
            let shown = scalar.isShown ? scalar : "\u{FFFD}"
            guard size + UTF8.width(shown) <= limit else {
                while size > limit - 3, let last = text.popLast() { size -= UTF8.width(last) }
                return String(text) + "…"
            }
            size += UTF8.width(shown)
            text.append(shown)
        }
        return String(text)
    }
}

extension Unicode.Scalar {
    fileprivate var isShown: Bool {
        if isASCII { return (0x20...0x7E).contains(value) }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        // Fillers, for example, but not what makes a picture of a character.
        default: !properties.isDefaultIgnorableCodePoint || (0xFE00...0xFE0F).contains(value)
        }
    }
}
