/// Breaks a line at its outermost blocks, arguments or cases. Parts that are still too long are broken further inside.
/// Only literals and names can remain too long.
struct LineBreaker {
    private let line: Line
    private let bytes: [UInt8]
    /// The finished lines, each with its indentation.
    private var lines: [String] = []

    static func lines(_ line: Line, indent: String) -> [String] {
        var breaker = LineBreaker(line)
        breaker.add(0..<breaker.bytes.count, indent)
        return breaker.lines
    }

    private init(_ line: Line) {
        self.line = line
        bytes = Array(line.text.utf8)
    }

    private mutating func add(_ whole: Range<Int>, _ indent: String) {
        let range = trimmed(whole)
        guard indent.utf8.count + range.count > Printer.limit else {
            lines.append(indent + text(range))
            return
        }
        let inside = line.groups.filter { $0.open >= range.lowerBound && $0.close < range.upperBound }
        let groups = outermost(inside.filter { $0.kind != .angle })
        func isOutside(_ place: Int) -> Bool {
            range.contains(place) && !groups.contains { $0.open < place && place < $0.close }
        }
        func first(_ mark: Line.Mark) -> Int? {
            line.marks.first { $0.mark == mark && isOutside($0.place) }?.place
        }
        let generics = outermost(inside.filter { $0.kind == .angle && isOutside($0.open) })
        let inner = indent + "    "
        if let label = groups.first, label.kind == .label {
            let end = label.close + 1
            lines += filled(split(range.lowerBound..<end, at: label.commas), indent, hanging: "    ")
            if end < range.upperBound { add(end..<range.upperBound, inner) }
        } else if groups.contains(where: { $0.kind == .block }) {
            var start = range.lowerBound
            for group in groups where group.kind == .block {
                add(start..<group.open + 1, indent)
                add(group.open + 1..<group.close, inner)
                start = group.close
            }
            add(start..<range.upperBound, indent)
        } else if let group = groups.max(by: { $0.close - $0.open < $1.close - $1.open }),
            group.close - group.open > 20
        {
            add(range, brokenIn: group, indent)
        } else if let literal = literal(endingAt: range) {
            add(literal, range, indent)
        } else if let group = generics.first(where: { !$0.commas.isEmpty }) {
            add(range, brokenIn: group, indent)
        } else {
            // The equals sign if what precedes it fits on a line.
            let equals = first(.equals).flatMap {
                indent.utf8.count + $0 - range.lowerBound < Printer.limit ? $0 : nil
            }
            guard let end = equals ?? first(.colon), end + 1 < range.upperBound else {
                lines.append(indent + text(range))
                return
            }
            lines.append(indent + text(range.lowerBound..<end + 1))
            add(end + 1..<range.upperBound, inner)
        }
    }

    private mutating func add(_ range: Range<Int>, brokenIn group: Line.Group, _ indent: String) {
        let inner = indent + "    "
        lines.append(indent + text(range.lowerBound..<group.open + 1))
        let parts = split(group.open + 1..<group.close, at: group.commas)
        if group.kind == .square, parts.allSatisfy({ inner.utf8.count + $0.count <= Printer.limit }) {
            lines += filled(parts, inner)
        } else {
            for part in parts { add(part, inner) }
        }
        add(group.close..<range.upperBound, indent)
    }

    private func outermost(_ groups: [Line.Group]) -> [Line.Group] {
        var end = -1
        return groups.filter { group in
            guard group.open > end else { return false }
            end = group.close
            return true
        }
    }

    // MARK: Parts

    /// The parts, each with its comma.
    private func split(_ range: Range<Int>, at commas: [Int]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for comma in commas {
            parts.append(trimmed(start..<comma + 1))
            start = comma + 1
        }
        return parts + [trimmed(start..<range.upperBound)]
    }

    /// Puts as many parts on each line as fit.
    private func filled(_ parts: [Range<Int>], _ indent: String, hanging: String = "") -> [String] {
        var result: [String] = []
        for part in parts {
            if let last = result.last, last.utf8.count + 1 + part.count <= Printer.limit {
                result[result.count - 1] += " " + text(part)
            } else {
                result.append(indent + (result.isEmpty ? "" : hanging) + text(part))
            }
        }
        return result
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        while start < end, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return start..<end
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    // MARK: Literals

    /// The only literal of a range, if the range ends with it and it is long.
    private func literal(endingAt range: Range<Int>) -> (range: Range<Int>, text: String)? {
        let inside = line.literals.filter { range.contains($0.range.lowerBound) }
        guard let only = inside.first, inside.count == 1, only.range.count > 62,
            [",", ""].contains(text(only.range.upperBound..<range.upperBound))
        else { return nil }
        return only
    }

    /// Adds a literal of several lines whose line ends are escaped.
    private mutating func add(
        _ literal: (range: Range<Int>, text: String), _ range: Range<Int>, _ indent: String
    ) {
        let inner = indent + "    "
        lines.append(indent + text(range.lowerBound..<literal.range.lowerBound) + "\"\"\"")
        let limit = Printer.limit(after: inner.utf8.count)
        var current = inner
        for scalar in literal.text.unicodeScalars {
            let unit = SwiftText.escaped(scalar)
            if current.utf8.count + unit.utf8.count >= limit {
                lines.append(current + "\\")
                current = inner
            }
            current += unit
        }
        lines += [current, inner + "\"\"\"" + text(literal.range.upperBound..<range.upperBound)]
    }
}
