/// Reads the syntax of ECMA-262 as far as it is supported.
struct PatternParser {
    private var rest: ArraySlice<Unicode.Scalar>

    /// Maximum nesting of groups, and the largest count of a quantifier.
    private static let depth = 32
    private static let count = TextPattern.size

    /// Nil if the pattern is not supported.
    static func parse(_ pattern: String) -> PatternPart? {
        guard pattern.utf8.count <= 10_000 else { return nil }
        var parser = PatternParser(rest: Array(pattern.unicodeScalars)[...])
        guard let part = parser.choice(depth: 0), parser.rest.isEmpty else { return nil }
        return part
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.unicodeScalars) else { return false }
        rest = rest.dropFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func choice(depth: Int) -> PatternPart? {
        guard depth < Self.depth else { return nil }
        var parts: [PatternPart] = []
        repeat {
            guard let part = sequence(depth: depth) else { return nil }
            parts.append(part)
        } while take("|")
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence(depth: Int) -> PatternPart? {
        var parts: [PatternPart] = []
        while let next = rest.first, next != "|", next != ")" {
            guard let part = part(depth: depth), let repeated = quantified(part) else { return nil }
            parts.append(repeated)
        }
        return .sequence(parts)
    }

    private mutating func part(depth: Int) -> PatternPart? {
        if take("^") || take("\\A") { return .start }
        if take("$") || take("\\z") || take("\\Z") { return .end }
        if take("\\b") { return .boundary(isWanted: true) }
        if take("\\B") { return .boundary(isWanted: false) }
        if take(".") { return .set(ScalarSet.lineEnds.inverted) }
        if take("[") { return characterClass() }
        if take("(") { return group(depth: depth) }
        if take("\\") { return escape().map { .set($0) } }
        guard let scalar = rest.popFirst(), !"*+?{".unicodeScalars.contains(scalar) else { return nil }
        return .set(ScalarSet(scalar))
    }

    private mutating func group(depth: Int) -> PatternPart? {
        let isLookahead = take("?=")
        let isNegative = !isLookahead && take("?!")
        if !isLookahead, !isNegative, !take("?:"), !name(), rest.first == "?" { return nil }
        guard let inner = choice(depth: depth + 1), take(")") else { return nil }
        return isLookahead || isNegative ? .lookahead(inner, isWanted: isLookahead) : inner
    }

    /// The name of a group: `?<year>`.
    private mutating func name() -> Bool {
        guard rest.starts(with: "?<".unicodeScalars), let first = rest.dropFirst(2).first,
            ScalarSet.word.contains(first), let end = rest.firstIndex(of: ">")
        else { return false }
        rest = rest[(end + 1)...]
        return true
    }

    /// The part with its quantifier. Lazy and greedy quantifiers are equivalent here.
    private mutating func quantified(_ part: PatternPart) -> PatternPart? {
        var low = 0
        var high: Int?
        if take("*") {
        } else if take("+") {
            low = 1
        } else if take("?") {
            high = 1
        } else if take("{") {
            guard let count = number() else { return nil }
            low = count
            high = count
            if take(",") {
                high = nil
                if rest.first != "}" {
                    guard let most = number(), most >= low else { return nil }
                    high = most
                }
            }
            guard take("}") else { return nil }
        } else {
            return part
        }
        _ = take("?")
        return .repeated(part, low: low, high: high)
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix { ScalarSet.digits.contains($0) }
        rest = rest.dropFirst(digits.count)
        guard digits.count < 10, let count = Int(Self.text(digits)), count <= Self.count else { return nil }
        return count
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }

    private mutating func characterClass() -> PatternPart? {
        let isNegative = take("^")
        var result = ScalarSet()
        while !take("]") {
            // A POSIX class, which is not part of the syntax.
            if rest.starts(with: "[:".unicodeScalars) { return nil }
            guard let first = member() else { return nil }
            guard rest.first == "-", rest.dropFirst().first != "]", let low = first.only else {
                result.add(first)
                continue
            }
            _ = take("-")
            guard let last = member() else { return nil }
            guard let high = last.only else {
                // A hyphen next to a class such as `\d` is a hyphen.
                result.add(first)
                result.add(ScalarSet("-"))
                result.add(last)
                continue
            }
            guard low <= high else { return nil }
            result.add(ScalarSet(low...high))
        }
        return .set(isNegative ? result.inverted : result)
    }

    private mutating func member() -> ScalarSet? {
        if take("\\b") { return ScalarSet(0x08...0x08) }
        if take("\\") { return escape() }
        return rest.popFirst().map { ScalarSet($0) }
    }

    /// Reads the text after a backslash.
    private mutating func escape() -> ScalarSet? {
        guard let scalar = rest.popFirst() else { return nil }
        switch scalar {
        case "d": return .digits
        case "D": return ScalarSet.digits.inverted
        case "w": return .word
        case "W": return ScalarSet.word.inverted
        case "s": return .spaces
        case "S": return ScalarSet.spaces.inverted
        case "t": return ScalarSet(0x09...0x09)
        case "n": return ScalarSet(0x0A...0x0A)
        case "v": return ScalarSet(0x0B...0x0B)
        case "f": return ScalarSet(0x0C...0x0C)
        case "r": return ScalarSet(0x0D...0x0D)
        case "0": return rest.first.map { ScalarSet.digits.contains($0) } == true ? nil : ScalarSet(0...0)
        case "x": return hexadecimal(2).map { ScalarSet($0) }
        case "u":
            guard take("{") else { return codeUnits().map { ScalarSet($0) } }
            let count = rest.prefix { $0 != "}" }.count
            guard count <= 6, let scalar = hexadecimal(count), take("}") else { return nil }
            return ScalarSet(scalar)
        case "p", "P": return property(isNegative: scalar == "P")
        case "_": return ScalarSet(scalar)
        default: return ScalarSet.word.contains(scalar) ? nil : ScalarSet(scalar)
        }
    }

    private mutating func digits(_ count: Int) -> UInt32? {
        let digits = rest.prefix(count)
        guard count > 0, digits.count == count, digits.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
            return nil
        }
        rest = rest.dropFirst(count)
        return UInt32(Self.text(digits), radix: 16)
    }

    private mutating func hexadecimal(_ count: Int) -> Unicode.Scalar? {
        digits(count).flatMap { Unicode.Scalar($0) }
    }

    /// Four digits, or two times four that are the halves of one scalar.
    private mutating func codeUnits() -> Unicode.Scalar? {
        guard let first = digits(4) else { return nil }
        guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = digits(4), (0xDC00...0xDFFF).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func property(isNegative: Bool) -> ScalarSet? {
        guard take("{"), let end = rest.firstIndex(of: "}") else { return nil }
        let name = Self.text(rest[..<end])
        rest = rest[(end + 1)...]
        if name == "Any" { return isNegative ? ScalarSet.all.inverted : .all }
        if name == "ASCII" {
            return isNegative ? ScalarSet(0...0x7F).inverted : ScalarSet(0...0x7F)
        }
        return ScalarSet(category: name, isNegative: isNegative)
    }
}
