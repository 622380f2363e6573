internal import GatewayPatterns

/// Finds the branches of a union that a value can be of, by the names and types of its members and elements.
///
/// A table has a row for each type of a branch, ended by a line end: the number of the branch, then the row. Rows of equal
/// scores are in the order of the table: the strictest type first. A row begins with a mark:
/// - `*`: a scalar. The JSON types that fit follow as one character (`@` plus 1 boolean, 2 number, 4 string, 8 array,
///   16 object), then its documented values, each after a U+0001.
/// - `[`: an array.
/// - `+`: an object that keeps members that it does not name; `-`: one that does not; `=`: one that is the last choice
///   for a value with such members.
///
/// The rows of the elements of an array, or of the additional members of an object, follow the mark: their offsets in
/// `elements`, each ended by a comma. None: any value fits. Then the members of an object, each ended by a tab: `!`
/// for required, `~` for required with values that do not decide, `?` for optional; the JSON types; the name; the
/// documented values. `^` stands for all members whose names match a pattern: the JSON types; the line of the pattern.
struct BranchMatch {
    let table: StaticString
    let elements: StaticString
    let patterns: NamePatterns?

    /// The numbers of the branches that fit, the best first: the most known members and documented values, the fewest
    /// unknown members. A row does not fit if a required member is missing, or if a member or element has a wrong
    /// type.
    ///
    /// - Throws: `tooComplex`, when elements are compared too many times.
    func branches(of value: JSONElement) throws(JSONError) -> [Int] {
        var found: [(branch: Int, score: Int)] = []
        var position = 0
        while position < table.utf8CodeUnitCount {
            let branch = table.number(at: &position)
            let row = position..<table.endOfLine(from: position)
            let match = Row(text: table, elements: elements, patterns: patterns, range: row)
            if let score = try match.score(of: value) {
                // Behind those with an equal score.
                let place = found.firstIndex { $0.score < score } ?? found.count
                found.insert((branch, score), at: place)
            }
            position = row.upperBound + 1
        }
        var result: [Int] = []
        for item in found where !result.contains(item.branch) { result.append(item.branch) }
        return result
    }
}

extension StaticString {
    /// Reads a number and moves behind it.
    fileprivate func number(at position: inout Int) -> Int {
        var result = 0
        while position < utf8CodeUnitCount {
            let digit = byte(at: position) &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            result = result &* 10 &+ Int(digit)
            position += 1
        }
        return result
    }

    fileprivate func endOfLine(from start: Int) -> Int {
        var position = start
        while position < utf8CodeUnitCount, byte(at: position) != UInt8(ascii: "\n") { position += 1 }
        return position
    }
}

extension BranchMatch {
    /// A row without the number of its branch.
    fileprivate struct Row {
        let text: StaticString
        let elements: StaticString
        let patterns: NamePatterns?
        let range: Range<Int>

        /// The score of a member that the row names, and of a documented value.
        private static let unit = 2
        /// More than any score, since a document has fewer than 2^31 values.
        private static let lastChoice = 1 << 40

        /// How well a value fits. Nil: not at all.
        func score(of value: JSONElement) throws(JSONError) -> Int? {
            guard !range.isEmpty else { return nil }
            // Whether null is allowed is not in the table.
            if value.isNull { return 0 }
            let mark = text.byte(at: range.lowerBound)
            let start = range.lowerBound + 1
            if mark == UInt8(ascii: "*") { return scalar(value, start..<range.upperBound) }
            var end = start
            while end < range.upperBound, isReference(text.byte(at: end)) { end += 1 }
            if mark == UInt8(ascii: "[") { return try array(value, start..<end) }
            return try object(value, mark, start..<end, end..<range.upperBound)
        }

        private func isReference(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ",") || byte &- UInt8(ascii: "0") < 10
        }

        private func scalar(_ value: JSONElement, _ range: Range<Int>) -> Int? {
            guard !range.isEmpty else { return nil }
            guard text.byte(at: range.lowerBound) & Self.bit(of: value.type) != 0 else { return nil }
            let values = range.lowerBound + 1..<range.upperBound
            // An enum is open.
            return values.isEmpty ? 0 : isOne(of: values, value) ? Self.unit : -Self.unit
        }

        private func array(_ value: JSONElement, _ references: Range<Int>) throws(JSONError) -> Int? {
            guard value.entry.kind == .array else { return nil }
            guard !references.isEmpty else { return 0 }
            try value.document.watch?.charge(1 + value.entry.length / 4)
            var total = 0
            let items = JSONElements(
                document: value.document, container: value.index, hidden: value.hidden &<< 1)
            for item in items {
                guard let score = try best(item, among: references) else { return nil }
                total += score
            }
            return total
        }

        private func object(
            _ value: JSONElement, _ mark: UInt8, _ references: Range<Int>, _ members: Range<Int>
        ) throws(JSONError) -> Int? {
            guard value.entry.kind == .object else { return nil }
            var known = 0
            var total = 0
            var hasPatterns = false
            var position = members.lowerBound
            while position < members.upperBound {
                let member = memberRange(from: position, to: members.upperBound)
                defer { position = member.upperBound + 1 }
                if isPattern(member) {
                    hasPatterns = true
                    continue
                }
                switch self.member(member, of: value) {
                case .absent: break
                case .wrong: return nil
                case .present(let score):
                    known += 1
                    total += score
                }
            }
            if hasPatterns || !references.isEmpty {
                guard let found = try additional(value, references, members) else { return nil }
                known += found.matching
                total += found.score
            }
            let unknown = value.entry.length - known
            switch mark {
            case UInt8(ascii: "+"): return total
            case UInt8(ascii: "=") where unknown > 0: return total - unknown - Self.lastChoice
            default: return total - unknown
            }
        }

        /// The score of the members that the row does not name, and how many of them match a pattern.
        private func additional(
            _ value: JSONElement, _ references: Range<Int>, _ members: Range<Int>
        ) throws(JSONError) -> (score: Int, matching: Int)? {
            let document = value.document
            try document.watch?.charge(1 + value.entry.length / 4)
            var total = 0
            var matching = 0
            var work = TextPattern.work
            var key = value.index + 1
            while key < document.end(of: value.index) {
                let item = JSONElement(document: document, index: key + 1, hidden: value.hidden &<< 1 | 1)
                if isNamed(key, in: document, members) {
                    key = document.end(of: key + 1)
                    continue
                }
                if let types = types(ofKey: key, in: document, members, work: &work) {
                    guard item.isNull || types & Self.bit(of: item.type) != 0 else { return nil }
                    matching += 1
                    total += Self.unit
                } else if !references.isEmpty {
                    guard let score = try best(item, among: references) else { return nil }
                    total += score
                }
                key = document.end(of: key + 1)
            }
            try document.watch?.charge((TextPattern.work - work) / 16_384)
            return (total, matching)
        }

        /// The JSON types of the first pattern that matches the name at an index. Nil: none does.
        private func types(
            ofKey key: Int, in document: JSONDocument, _ members: Range<Int>, work: inout Int
        ) -> UInt8? {
            guard let patterns else { return nil }
            let name = document.text(at: key)
            var position = members.lowerBound
            while position < members.upperBound {
                let member = memberRange(from: position, to: members.upperBound)
                position = member.upperBound + 1
                guard isPattern(member), member.count > 2 else { continue }
                var start = member.lowerBound + 2
                let line = text.number(at: &start)
                if patterns.matches(name, line: line, work: &work) {
                    return text.byte(at: member.lowerBound + 1)
                }
            }
            return nil
        }

        private func isPattern(_ member: Range<Int>) -> Bool {
            !member.isEmpty && text.byte(at: member.lowerBound) == UInt8(ascii: "^")
        }

        /// The best score of a value among the rows at these offsets. Nil: none fits.
        private func best(
            _ value: JSONElement, among references: Range<Int>
        ) throws(JSONError) -> Int? {
            var best: Int?
            var position = references.lowerBound
            while position < references.upperBound {
                let start = text.number(at: &position)
                // The comma.
                position += 1
                let row = start..<elements.endOfLine(from: start)
                let match = Row(text: elements, elements: elements, patterns: patterns, range: row)
                let score = try match.score(of: value)
                if let score { best = max(best ?? score, score) }
            }
            return best
        }

        // MARK: Members

        private enum Finding {
            case absent, wrong
            case present(score: Int)
        }

        private func memberRange(from start: Int, to end: Int) -> Range<Int> {
            var position = start
            while position < end, text.byte(at: position) != UInt8(ascii: "\t") { position += 1 }
            return start..<position
        }

        /// The name in a member, behind its two marks.
        private func name(in member: Range<Int>) -> Range<Int> {
            let start = min(member.lowerBound + 2, member.upperBound)
            var end = start
            while end < member.upperBound, text.byte(at: end) != 1 { end += 1 }
            return start..<end
        }

        private func member(_ range: Range<Int>, of object: JSONElement) -> Finding {
            guard range.count >= 2 else { return .absent }
            let mark = text.byte(at: range.lowerBound)
            let name = self.name(in: range)
            guard let value = find(name, in: object) else {
                return mark == UInt8(ascii: "?") ? .absent : .wrong
            }
            if value.isNull { return .present(score: Self.unit) }
            guard text.byte(at: range.lowerBound + 1) & Self.bit(of: value.type) != 0 else { return .wrong }
            let values = name.upperBound..<range.upperBound
            guard !values.isEmpty else { return .present(score: Self.unit) }
            if isOne(of: values, value) { return .present(score: 2 * Self.unit) }
            return mark == UInt8(ascii: "!") ? .wrong : .present(score: -Self.unit)
        }

        private func find(_ name: Range<Int>, in object: JSONElement) -> JSONElement? {
            let document = object.document
            let end = document.end(of: object.index)
            var key = object.index + 1
            while key < end {
                if isKey(key, in: document, name) {
                    return JSONElement(document: document, index: key + 1, hidden: object.hidden &<< 1)
                }
                key = document.end(of: key + 1)
            }
            return nil
        }

        /// Whether one of the members has the name at an index.
        private func isNamed(_ key: Int, in document: JSONDocument, _ members: Range<Int>) -> Bool {
            var position = members.lowerBound
            while position < members.upperBound {
                let member = memberRange(from: position, to: members.upperBound)
                if !isPattern(member), isKey(key, in: document, name(in: member)) { return true }
                position = member.upperBound + 1
            }
            return false
        }

        private func isKey(_ key: Int, in document: JSONDocument, _ name: Range<Int>) -> Bool {
            let entry = document.entries[key]
            if entry.kind == .escapedString { return isSame(document.text(at: key).utf8, name) }
            return entry.length == name.count && isSame(document.raw(entry), name)
        }

        // MARK: Values

        private static func bit(of type: JSONType) -> UInt8 {
            switch type {
            case .null: 0
            case .bool: 1
            case .number: 2
            case .string: 4
            case .array: 8
            case .object: 16
            }
        }

        private func isOne(of values: Range<Int>, _ value: JSONElement) -> Bool {
            let content: String
            switch value.type {
            case .bool: content = value.entry.kind == .true ? "true" : "false"
            case .number, .string: content = value.document.text(at: value.index)
            case .null, .array, .object: return false
            }
            var position = values.lowerBound
            while position < values.upperBound {
                let start = position + 1
                position = start
                while position < values.upperBound, text.byte(at: position) != 1 { position += 1 }
                if isSame(content.utf8, start..<position) { return true }
            }
            return false
        }

        private func isSame(_ bytes: some Sequence<UInt8>, _ range: Range<Int>) -> Bool {
            var position = range.lowerBound
            for byte in bytes {
                guard position < range.upperBound, text.byte(at: position) == byte else { return false }
                position += 1
            }
            return position == range.upperBound
        }
    }
}
