/// A `pattern` of the document, matched against generated text in bounded time.
///
/// Why not `Regex`: it backtracks, and a pattern such as `^([0-9a-f]+)+!$` would run for years. Here each part of a
/// pattern maps a set of start offsets to the set of possible end offsets. Supported: characters, classes, groups,
/// alternatives, quantifiers, anchors and lookahead.
struct KeyPattern {
    private indirect enum Part {
        case set(Set<UInt8>)
        case start, end
        case sequence([Part])
        case choice([Part])
        case repeated(Part, low: Int, high: Int)
        case lookahead(Part, isWanted: Bool)
    }

    private let whole: Part

    /// Nil if the pattern is not supported.
    init?(_ pattern: String) {
        // A longer pattern is unlikely for a key.
        guard pattern.utf8.count <= 500 else { return nil }
        var parser = Parser(rest: Array(pattern.utf8)[...])
        guard let whole = parser.choice(depth: 0), parser.rest.isEmpty else { return nil }
        self.whole = whole
    }

    /// Whether any part of the text matches (JSON Schema 2020-12, Validation, section 6.3.3).
    ///
    /// - Parameter steps: The number of remaining steps. At 0, nothing matches.
    func matches(_ text: String, steps: inout Int) -> Bool {
        let bytes = Array(text.utf8)
        return !Self.ends(of: whole, from: Set(0...bytes.count), in: bytes, &steps).isEmpty
    }

    private static func ends(
        of part: Part, from starts: Set<Int>, in bytes: [UInt8], _ steps: inout Int
    ) -> Set<Int> {
        guard !starts.isEmpty, steps > 0 else { return [] }
        steps -= 1
        switch part {
        case .set(let allowed):
            return Set(starts.filter { $0 < bytes.count && allowed.contains(bytes[$0]) }.map { $0 + 1 })
        case .start: return starts.intersection([0])
        case .end: return starts.intersection([bytes.count])
        case .sequence(let parts):
            return parts.reduce(starts) { ends(of: $1, from: $0, in: bytes, &steps) }
        case .choice(let parts):
            return parts.reduce(into: []) { $0.formUnion(ends(of: $1, from: starts, in: bytes, &steps)) }
        case .repeated(let inner, let low, let high):
            var current = starts
            var result: Set<Int> = low == 0 ? starts : []
            var count = 0
            while count < high, !current.isEmpty {
                let next = ends(of: inner, from: current, in: bytes, &steps)
                count += 1
                if count >= low {
                    if next.isSubset(of: result), count > low { break }
                    result.formUnion(next)
                }
                // More repetitions have no effect.
                if next == current, count < low { count = low - 1 }
                current = next
            }
            return result
        case .lookahead(let inner, let isWanted):
            return starts.filter { ends(of: inner, from: [$0], in: bytes, &steps).isEmpty != isWanted }
        }
    }
}

extension KeyPattern {
    /// Reads the syntax of ECMA-262 as far as it is supported; nil otherwise.
    private struct Parser {
        var rest: ArraySlice<UInt8>

        private static let digits = Set(UInt8(ascii: "0")...UInt8(ascii: "9"))
        private static let word = digits.union(UInt8(ascii: "a")...UInt8(ascii: "z"))
            .union(UInt8(ascii: "A")...UInt8(ascii: "Z")).union([UInt8(ascii: "_")])
        private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D]
        private static let all = Set(UInt8(0)...0x7F)
        private static let limit = 1_000

        private mutating func take(_ text: StaticString) -> Bool {
            let bytes = Array("\(text)".utf8)
            guard rest.starts(with: bytes) else { return false }
            rest = rest.dropFirst(bytes.count)
            return true
        }

        mutating func choice(depth: Int) -> Part? {
            guard depth < 32 else { return nil }
            var parts: [Part] = []
            repeat {
                guard let part = sequence(depth: depth) else { return nil }
                parts.append(part)
            } while take("|")
            return parts.count == 1 ? parts[0] : .choice(parts)
        }

        private mutating func sequence(depth: Int) -> Part? {
            var parts: [Part] = []
            while let next = rest.first, next != UInt8(ascii: "|"), next != UInt8(ascii: ")") {
                guard let part = part(depth: depth), let repeated = quantified(part) else { return nil }
                parts.append(repeated)
            }
            return .sequence(parts)
        }

        private mutating func part(depth: Int) -> Part? {
            if take("^") { return .start }
            if take("$") { return .end }
            if take(".") { return .set(Self.all.subtracting([0x0A, 0x0D])) }
            if take("[") { return characterClass() }
            if take("(") {
                let isLookahead = take("?=")
                let isNegative = !isLookahead && take("?!")
                if !isLookahead, !isNegative, !take("?:"), !name(), rest.first == UInt8(ascii: "?") {
                    return nil
                }
                guard let inner = choice(depth: depth + 1), take(")") else { return nil }
                return isLookahead || isNegative ? .lookahead(inner, isWanted: isLookahead) : inner
            }
            if take("\\") { return escape().map { .set($0) } }
            guard let byte = rest.popFirst(), byte < 0x80, !"*+?{}]".utf8.contains(byte) else { return nil }
            return .set([byte])
        }

        /// The name of a group: `?<year>`.
        private mutating func name() -> Bool {
            guard rest.starts(with: "?<".utf8), let first = rest.dropFirst(2).first,
                Self.word.contains(first),
                let end = rest.firstIndex(of: UInt8(ascii: ">"))
            else { return false }
            rest = rest[(end + 1)...]
            return true
        }

        /// The part with its quantifier. Lazy and greedy quantifiers are equivalent here.
        private mutating func quantified(_ part: Part) -> Part? {
            var (low, high) = (0, Int.max)
            if take("*") {
            } else if take("+") {
                low = 1
            } else if take("?") {
                high = 1
            } else if take("{") {
                guard let count = number() else { return nil }
                (low, high) = (count, count)
                if take(",") {
                    high = Int.max
                    if rest.first != UInt8(ascii: "}") {
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
            let digits = rest.prefix { Self.digits.contains($0) }
            rest = rest.dropFirst(digits.count)
            guard let count = Int(String(decoding: digits, as: UTF8.self)), count <= Self.limit else {
                return nil
            }
            return count
        }

        private mutating func characterClass() -> Part? {
            let isNegative = take("^")
            var result: Set<UInt8> = []
            while !take("]") {
                guard let first = member() else { return nil }
                guard rest.first == UInt8(ascii: "-"), rest.dropFirst().first != UInt8(ascii: "]") else {
                    result.formUnion(first)
                    continue
                }
                _ = take("-")
                guard let last = member(), first.count == 1, last.count == 1, let low = first.first,
                    let high = last.first, low <= high
                else { return nil }
                result.formUnion(low...high)
            }
            return .set(isNegative ? Self.all.subtracting(result) : result)
        }

        private mutating func member() -> Set<UInt8>? {
            if take("\\") { return escape() }
            guard let byte = rest.popFirst(), byte < 0x80 else { return nil }
            return [byte]
        }

        /// Reads the text after a backslash.
        private mutating func escape() -> Set<UInt8>? {
            guard let byte = rest.popFirst(), byte < 0x80 else { return nil }
            switch byte {
            case UInt8(ascii: "d"): return Self.digits
            case UInt8(ascii: "D"): return Self.all.subtracting(Self.digits)
            case UInt8(ascii: "w"): return Self.word
            case UInt8(ascii: "W"): return Self.all.subtracting(Self.word)
            case UInt8(ascii: "s"): return Self.spaces
            case UInt8(ascii: "S"): return Self.all.subtracting(Self.spaces)
            default: return Self.word.contains(byte) ? nil : [byte]
            }
        }
    }
}
