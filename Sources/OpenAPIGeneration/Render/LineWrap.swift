/// Breaks generated lines that are longer than the limit.
///
/// Code is broken between arguments, cases and blocks. What remains too long is a literal or a name.
enum LineWrap {
    /// Maximum columns of a generated line.
    static let limit = 120

    /// A line that is too long as several lines, each with its indentation.
    static func lines(_ line: String, indent: String) -> [String] {
        if line.hasPrefix("//") { return comment(line, indent) }
        var result: [String] = []
        CodeBreaker(limit: limit).add(line, indent, to: &result)
        return result
    }

    // MARK: Comments

    /// Breaks a comment between words, and a word that is longer than a line anywhere. The lines of a list item are
    /// indented as its text.
    private static func comment(_ line: String, _ indent: String) -> [String] {
        let slashes = line.prefix { $0 == "/" }
        var rest = line.dropFirst(slashes.count)
        var hanging = String(rest.prefix { $0 == " " })
        rest = rest.drop { $0 == " " }
        var result: [String] = []
        var current = indent + slashes + hanging
        if rest.hasPrefix("- ") { hanging += "  " }
        // A document can indent its text by any number of spaces.
        let start = indent + slashes + (hanging.utf8.count < 20 ? hanging : " ")
        var isEmpty = true
        for word in words(rest) {
            if !isEmpty, columns(current) + 1 + columns(word) > limit {
                result.append(current)
                current = start
                isEmpty = true
            }
            current += isEmpty ? word : " " + word
            isEmpty = false
            while columns(current) > limit {
                let scalars = current.unicodeScalars
                result.append(String(scalars.prefix(limit)))
                current = start + String(scalars.dropFirst(limit))
            }
        }
        if !isEmpty { result.append(current) }
        return result
    }

    /// The words of a text. What would begin a list or a heading at the start of a line remains with the word before it.
    private static func words(_ text: Substring) -> [String] {
        var result: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if let last = result.indices.last, columns(result[last]) < limit / 2, isMarker(word) {
                result[last] += " " + word
            } else {
                result.append(String(word))
            }
        }
        return result
    }

    private static func isMarker(_ word: Substring) -> Bool {
        if ["-", "*", "+", ">", "|"].contains(word) || word.allSatisfy({ $0 == "#" || $0 == "=" }) {
            return true
        }
        guard let last = word.last, last == "." || last == ")" else { return false }
        return word.count > 1 && word.dropLast().allSatisfy { $0.isNumber }
    }

    static func columns(_ text: some StringProtocol) -> Int { text.unicodeScalars.count }
}

/// Breaks a line of code at its outermost blocks, arguments or cases, and what is still too long further inside.
private struct CodeBreaker {
    let limit: Int

    private struct Group {
        /// The offsets of its brackets.
        let open: Int
        let close: Int
        let isBlock: Bool
        /// The offsets of the commas directly inside.
        var commas: [Int] = []
    }

    /// What is outside all brackets.
    private struct Outline {
        var groups: [Group] = []
        var commas: [Int] = []
        var colon: Int?
        /// The equals sign.
        var assignment: Int?
        /// Outside all groups.
        var generics: [Group] = []
    }

    func add(_ line: String, _ indent: String, to result: inout [String]) {
        let bytes = Array(line.utf8)
        guard indent.utf8.count + bytes.count > limit else {
            result.append(indent + line)
            return
        }
        let outline = outline(bytes)
        func text(_ range: Range<Int>) -> String {
            String(decoding: bytes[range].drop { $0 == 0x20 }, as: UTF8.self)
        }
        let inner = indent + "    "
        if line.hasPrefix("case "), let colon = outline.colon, colon + 1 < bytes.count {
            var parts = split(0..<colon, at: outline.commas).map { text($0) + "," }
            if let last = parts.popLast() { parts.append(last.dropLast() + ":") }
            result += filled(parts, indent, hanging: "    ")
            add(text(colon + 1..<bytes.count), inner, to: &result)
        } else if outline.groups.contains(where: \.isBlock) {
            var start = 0
            for group in outline.groups where group.isBlock {
                add(text(start..<group.open + 1), indent, to: &result)
                add(text(group.open + 1..<group.close).trimmedEnd, inner, to: &result)
                start = group.close
            }
            add(text(start..<bytes.count), indent, to: &result)
        } else if let group = outline.groups.max(by: { $0.close - $0.open < $1.close - $1.open }),
            group.close - group.open > 20
        {
            result.append(indent + text(0..<group.open + 1))
            let parts = split(group.open + 1..<group.close, at: group.commas)
            let texts = parts.enumerated().map { text($1) + ($0 < parts.count - 1 ? "," : "") }
            let isFilled = bytes[group.open] == UInt8(ascii: "[")
            if isFilled, texts.allSatisfy({ inner.utf8.count + $0.utf8.count <= limit }) {
                result.append(contentsOf: filled(texts, inner))
            } else {
                for part in texts { add(part, inner, to: &result) }
            }
            add(text(group.close..<bytes.count), indent, to: &result)
        } else if let literal = LongLiteral(line, indent: indent, limit: limit) {
            result += literal.lines
        } else if let generic = outline.generics.first(where: { !$0.commas.isEmpty }) {
            result.append(indent + text(0..<generic.open + 1))
            let parts = split(generic.open + 1..<generic.close, at: generic.commas)
            for (offset, part) in parts.enumerated() {
                add(text(part) + (offset < parts.count - 1 ? "," : ""), inner, to: &result)
            }
            add(text(generic.close..<bytes.count), indent, to: &result)
        } else if let end = separator(outline, indent), end + 1 < bytes.count {
            result.append(indent + text(0..<end + 1))
            add(text(end + 1..<bytes.count), inner, to: &result)
        } else {
            result.append(indent + line)
        }
    }

    /// The equals sign if what precedes it fits on a line, otherwise the colon.
    private func separator(_ outline: Outline, _ indent: String) -> Int? {
        guard let equals = outline.assignment, indent.utf8.count + equals < limit else {
            return outline.colon
        }
        return equals
    }

    /// Puts as many parts on each line as fit.
    private func filled(_ parts: [String], _ indent: String, hanging: String = "") -> [String] {
        var result: [String] = []
        var current = indent
        for (offset, part) in parts.enumerated() {
            if offset > 0, current.utf8.count + 1 + part.utf8.count > limit {
                result.append(current)
                current = indent + hanging + part
            } else {
                current += (offset > 0 ? " " : "") + part
            }
        }
        return result + [current]
    }

    private func split(_ range: Range<Int>, at commas: [Int]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = range.lowerBound
        for comma in commas {
            result.append(start..<comma)
            start = comma + 1
        }
        return result + [start..<range.upperBound]
    }

    private func outline(_ bytes: [UInt8]) -> Outline {
        var result = Outline()
        var open: [Group] = []
        var angles: [Group] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                open.append(Group(open: index, close: index, isBlock: byte == UInt8(ascii: "{")))
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if let last = open.popLast(), open.isEmpty {
                    result.groups.append(
                        Group(open: last.open, close: index, isBlock: last.isBlock, commas: last.commas))
                }
            case UInt8(ascii: "<"): angles.append(Group(open: index, close: index, isBlock: false))
            case UInt8(ascii: ">") where index > 0 && bytes[index - 1] != UInt8(ascii: "-"):
                if let last = angles.popLast(), angles.isEmpty, open.isEmpty {
                    result.generics.append(
                        Group(open: last.open, close: index, isBlock: false, commas: last.commas))
                }
            case UInt8(ascii: ","):
                if !angles.isEmpty {
                    if open.isEmpty, angles.count == 1 { angles[0].commas.append(index) }
                } else if open.isEmpty {
                    result.commas.append(index)
                } else {
                    open[open.count - 1].commas.append(index)
                }
            case UInt8(ascii: ":") where open.isEmpty && result.colon == nil: result.colon = index
            case UInt8(ascii: "=") where open.isEmpty && result.assignment == nil: result.assignment = index
            default: break
            }
            index += 1
        }
        return result
    }
}

/// A literal at the end of a line, as a literal of several lines whose line ends are escaped.
private struct LongLiteral {
    private(set) var lines: [String] = []

    /// Nil if the line does not end with a long literal.
    init?(_ line: String, indent: String, limit: Int) {
        let tail = line.hasSuffix(",") ? "," : ""
        guard let start = line.firstIndex(of: "\""), line.dropLast(tail.count).last == "\"" else {
            return nil
        }
        let content = Array(line[line.index(after: start)...].dropLast(tail.count + 1))
        guard content.count > 60 else { return nil }
        let inner = indent + "    "
        lines.append(indent + line[..<start] + "\"\"\"")
        var current = inner
        var index = 0
        while index < content.count {
            let unit = Self.unit(content, at: index)
            // A literal inside would end here.
            if unit == "\"" { return nil }
            if current.utf8.count + unit.utf8.count >= limit {
                lines.append(current + "\\")
                current = inner
            }
            current += unit
            index += unit.count
        }
        lines += [current, inner + "\"\"\"" + tail]
    }

    /// A character or an escape.
    private static func unit(_ content: [Character], at index: Int) -> String {
        guard content[index] == "\\", index + 1 < content.count else { return String(content[index]) }
        guard content[index + 1] == "u" else { return String(content[index...index + 1]) }
        let end = content[index...].firstIndex(of: "}") ?? content.count - 1
        return String(content[index...end])
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var copy = self
        while copy.last == " " { copy.removeLast() }
        return copy
    }
}
