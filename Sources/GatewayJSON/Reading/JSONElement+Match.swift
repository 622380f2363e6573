/// Finds out which of several object types a value most likely is.
///
/// A table has a row for each type, ended by a line end. A row begins with `+` where members that it does not name
/// belong to the type too, with `=` where the type is the last choice for a value with such members, else with `-`;
/// then each known member, ended by a tab: `!` for required or `?`, a character for the JSON types that fit (`@` plus 1
/// boolean, 2 number, 4 string, 8 array, 16 object), its name, and for each value that it must have one of, a U+0001
/// and the value's text.
struct ObjectMatch {
    let table: StaticString
    let element: JSONElement

    /// The row that fits best: the most known members, the fewest unknown ones; of equals the first. A row that
    /// lacks a required member, or has one of a wrong type or value, does not fit. `nil` if none does.
    func best() -> Int? {
        var best: (row: Int, score: Int)?
        var row = 0
        var position = 0
        let count = table.utf8CodeUnitCount
        while position < count {
            let start = position
            while position < count, table.byte(at: position) != UInt8(ascii: "\n") { position += 1 }
            if let score = score(start..<position), best.map({ score > $0.score }) ?? true {
                best = (row, score)
            }
            position += 1
            row += 1
        }
        return best?.row
    }

    private func score(_ row: Range<Int>) -> Int? {
        guard !row.isEmpty, element.entry.kind == .object else { return nil }
        let mark = table.byte(at: row.lowerBound)
        var known = 0
        var exact = 0
        var position = row.lowerBound + 1
        while position < row.upperBound {
            let start = position
            while position < row.upperBound, table.byte(at: position) != UInt8(ascii: "\t") { position += 1 }
            switch member(start..<position) {
            case .absent: break
            case .wrong: return nil
            case .present: known += 1
            case .exact:
                known += 1
                exact += 1
            }
            position += 1
        }
        let unknown = element.entry.length - known
        let score = 2 * (known + exact)
        switch mark {
        case UInt8(ascii: "+"): return score
        case UInt8(ascii: "=") where unknown > 0: return score - unknown - Self.lastChoice
        default: return score - unknown
        }
    }

    /// More than any score, since a document has fewer than 2^31 values.
    private static let lastChoice = 1 << 40

    private enum Finding {
        case absent, wrong, present, exact
    }

    private func member(_ range: Range<Int>) -> Finding {
        guard range.count >= 2 else { return .absent }
        let isRequired = table.byte(at: range.lowerBound) == UInt8(ascii: "!")
        let types = table.byte(at: range.lowerBound + 1)
        var end = range.lowerBound + 2
        while end < range.upperBound, table.byte(at: end) != 1 { end += 1 }
        guard let value = find(range.lowerBound + 2..<end) else { return isRequired ? .wrong : .absent }
        // What may be null and what may not be is not told apart by the types of a document that was received.
        if value.isNull { return .present }
        guard types & Self.bit(of: value.type) != 0 else { return .wrong }
        guard end < range.upperBound else { return .present }
        return isOne(of: end..<range.upperBound, value) ? .exact : .wrong
    }

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

    private func find(_ name: Range<Int>) -> JSONElement? {
        let document = element.document
        var index = element.index + 1
        let end = document.end(of: element.index)
        while index < end {
            if isKey(at: index, name) {
                return JSONElement(document: document, index: index + 1, hidden: element.hidden &<< 1)
            }
            index = document.end(of: index + 1)
        }
        return nil
    }

    private func isKey(at index: Int, _ name: Range<Int>) -> Bool {
        let entry = element.document.entries[index]
        if entry.kind == .escapedString { return isSame(element.document.text(at: index).utf8, name) }
        return entry.length == name.count && isSame(element.document.raw(entry), name)
    }

    private func isOne(of values: Range<Int>, _ value: JSONElement) -> Bool {
        let text: String
        switch value.type {
        case .bool: text = value.entry.kind == .true ? "true" : "false"
        case .number, .string: text = value.document.text(at: value.index)
        case .null, .array, .object: return false
        }
        var position = values.lowerBound
        while position < values.upperBound {
            let start = position + 1
            position = start
            while position < values.upperBound, table.byte(at: position) != 1 { position += 1 }
            if isSame(text.utf8, start..<position) { return true }
        }
        return false
    }

    private func isSame(_ bytes: some Sequence<UInt8>, _ range: Range<Int>) -> Bool {
        var position = range.lowerBound
        for byte in bytes {
            guard position < range.upperBound, table.byte(at: position) == byte else { return false }
            position += 1
        }
        return position == range.upperBound
    }
}

extension JSONElement {
    /// The row of a table of object types that the value fits best; `-1` if it fits none. Generated code calls
    /// this with tables that it was given.
    @_spi(Generated) public func bestMatch(_ table: StaticString) -> Int {
        ObjectMatch(table: table, element: self).best() ?? -1
    }

    /// The integer of a member that says which variant an object is; nil when it doesn't.
    @_spi(Generated) public func integerDiscriminator(_ key: StaticString) -> Int? {
        self[key]?.integerOrNil
    }

    /// The text of a string; nil when the value is none.
    @_spi(Generated) public var stringOrNil: String? { type == .string ? document.text(at: index) : nil }

    /// The integer that a number is; nil when the value is none.
    @_spi(Generated) public var integerOrNil: Int? { type == .number ? try? integer(Int.self) : nil }

    /// The text of a string or an integer; nil when the value is neither.
    var discriminatorText: String? { stringOrNil ?? integerOrNil.map { String($0) } }
}
