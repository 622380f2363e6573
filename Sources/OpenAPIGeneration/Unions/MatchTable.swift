/// The table for `BranchMatch` in the runtime, which finds the best matching branches for an object or array.
struct MatchTable {
    /// The rows of the branches, the strictest first.
    private(set) var text = ""
    /// The rows of elements and additional properties.
    private(set) var elements = ""
    /// The patterns of names that rows refer to.
    private(set) var patterns: [String] = []
    /// The branches that have rows.
    private(set) var branches = Set<Int>()
    /// Whether required properties distinguish all rows.
    private(set) var isCertain: Bool
    /// The largest number of branches with the same row: only decoding distinguishes these.
    private(set) var alike = 0

    private let shapes: ValueShapes
    private var offsets = [ExactText: Int]()
    private var patternLines = [ExactText: Int]()

    /// How deep arrays and maps are compared, and the size of `elements` from which on they are not.
    private static let depth = 3
    private static let size = 4_096

    private struct Row {
        let schema: Schema
        var branch = 0
        let kinds: Set<JSONKind>
        /// Whether additional properties are allowed.
        var isOpen = false
        var unknown = ObjectDeclaration.Unknown.dropped
        var members: [Member] = []
        /// Patterns of names, and the types of such properties.
        var patterns: [(text: String, kinds: Set<JSONKind>)] = []
        /// The documented values of a scalar.
        var values: [String] = []
        /// The schema of the elements or additional properties.
        var inner: [Schema] = []
    }

    private struct Member {
        let name: String
        let isRequired: Bool
        let isNullable: Bool
        let kinds: Set<JSONKind>
        let values: [String]
    }

    init(_ union: UnionDeclaration, _ kind: JSONKind, _ branches: [Int], shapes: ValueShapes) {
        self.shapes = shapes
        isCertain = kind == .object
        var rows: [Row] = []
        for branch in branches {
            for var row in self.rows(union.branches[branch].schema) ?? [] where row.kinds == [kind] {
                row.branch = branch
                self.branches.insert(branch)
                rows.append(row)
            }
        }
        let ranks = rows.map { shapes.rank(of: $0.schema) }
        let inexact = self.inexact(rows)
        rows = rows.indices.sorted { (inexact[$0], ranks[$0], $0) < (inexact[$1], ranks[$1], $1) }.map {
            rows[$0]
        }
        isCertain = isCertain && Self.excludeEachOther(rows)
        let keepsUnknown = rows.contains { $0.unknown == .kept }
        var users = [ExactText: Set<Int>]()
        for row in rows {
            let line = self.line(row, depth: 0, keepsUnknown: keepsUnknown, isWhole: !isCertain)
            text += String(row.branch) + line
            users[line, default: []].insert(row.branch)
        }
        alike = users.values.map(\.count).max() ?? 0
    }

    /// The rows of a schema, those of all branches for a union. Nil: any value fits.
    private func rows(_ schema: Schema) -> [Row]? {
        var seen = Set<JSONPointer>()
        var rows: [Row] = []
        var waiting = [schema]
        while let next = waiting.popLast() {
            guard let row = row(next.documented) else {
                guard let target = next.documented.shape.target,
                    let union = shapes.declarations[target]?.union
                else { return nil }
                if seen.insert(target).inserted { waiting += union.branches.reversed().map(\.schema) }
                continue
            }
            rows.append(row)
        }
        return rows
    }

    /// Nil for a union, and if any value fits.
    private func row(_ schema: Schema) -> Row? {
        if let kind = schema.shape.kind {
            return Row(
                schema: schema, kinds: [kind], isOpen: kind == .object, values: texts(of: schema),
                inner: schema.shape.inner.map { [$0] } ?? [])
        }
        guard let pointer = schema.shape.target else { return nil }
        switch shapes.declarations[pointer]?.kind {
        case .object(let object):
            let members = object.properties.filter { $0.name.isPlain }.map { property in
                Member(
                    name: property.name, isRequired: property.isRequired,
                    isNullable: property.schema.isNullable,
                    kinds: shapes.kinds(of: property.schema) ?? Set(JSONKind.allCases),
                    values: texts(of: property.schema))
            }
            let patterns = object.patterns.flatMap { pattern in
                let kinds = shapes.kinds(of: pattern.schema) ?? Set(JSONKind.allCases)
                return pattern.texts.map { (text: $0, kinds: kinds) }
            }
            return Row(
                schema: schema, kinds: [.object], isOpen: object.additional != nil || !patterns.isEmpty,
                unknown: object.unknown, members: members, patterns: patterns,
                inner: object.additional.map { [$0] } ?? [])
        case .tuple(let tuple):
            // Each element fits one of the schemas.
            let schemas = tuple.properties.map(\.schema) + (tuple.additional.map { [$0] } ?? [])
            return Row(schema: schema, kinds: [.array], inner: schemas)
        case .enumeration(let enumeration):
            return Row(
                schema: schema, kinds: [enumeration.isInteger ? .number : .string], values: texts(of: schema))
        case .union, .opaque, nil: return nil
        }
    }

    /// The number of values in each row that lose digits of integers, where another row keeps them.
    private func inexact(_ rows: [Row]) -> [Int] {
        let numbers = rows.map { row in
            var numbers = Numbers()
            collect(row.schema, at: .root, depth: 0, into: &numbers)
            return numbers
        }
        let integers = numbers.reduce(into: Set<JSONPointer>()) { $0.formUnion($1.integers) }
        return numbers.map { $0.inexact.intersection(integers).count }
    }

    /// The places of numbers in a value.
    private struct Numbers {
        var integers = Set<JSONPointer>()
        /// Those that are decoded as binary floating point.
        var inexact = Set<JSONPointer>()
        /// The number of schemas that can still be read. Why: each one can have several others.
        var left = 1_000
    }

    private func collect(_ schema: Schema, at place: JSONPointer, depth: Int, into result: inout Numbers) {
        guard depth <= Self.depth, result.left > 0 else { return }
        result.left -= 1
        func read(_ schema: Schema, _ step: String) {
            collect(schema, at: place.appending(step), depth: depth + 1, into: &result)
        }
        let documented = schema.documented
        switch documented.shape {
        case .integer: result.integers.insert(place)
        case .number(let format):
            if schema.shape.own == nil, format == .double || format == .float { result.inexact.insert(place) }
        case .array(let items): read(items, "items")
        case .map(let values): read(values, "additionalProperties")
        case .declared(let target):
            switch shapes.declarations[target]?.kind {
            case .object(let object), .tuple(let object):
                for property in object.properties { read(property.schema, "=" + property.name) }
                for pattern in object.patterns { read(pattern.schema, pattern.texts.joined(separator: " ")) }
                if let additional = object.additional { read(additional, "additionalProperties") }
            case .enumeration(let enumeration): if enumeration.isInteger { result.integers.insert(place) }
            case .union(let union):
                for branch in union.branches {
                    collect(branch.schema, at: place, depth: depth + 1, into: &result)
                }
            case .opaque, nil: break
            }
        case .any, .boolean, .string, .own: break
        }
    }

    /// The documented values of a scalar. Empty: any.
    private func texts(of schema: Schema) -> [String] {
        if let flag = schema.annotations.constant?.bool { return [flag ? "true" : "false"] }
        return (shapes.values(of: schema)?.texts ?? []).filter { $0.isPlain }
    }

    /// Whether a value of one branch never matches a row of another branch.
    private static func excludeEachOther(_ rows: [Row]) -> Bool {
        var users = [ExactText: Int]()
        for member in rows.flatMap(\.members) { users[member.name, default: 0] += 1 }
        // A row that requires a property of its own excludes all others.
        let isDistinct = rows.map { row in
            !row.isOpen && row.members.contains { $0.isRequired && users[$0.name] == 1 }
        }
        for (offset, row) in rows.enumerated() {
            for next in rows.indices[(offset + 1)...] where !isDistinct[offset] || !isDistinct[next] {
                let other = rows[next]
                if other.branch != row.branch, !excludes(row, other) || !excludes(other, row) { return false }
            }
        }
        return true
    }

    /// Whether a value of `other` never matches `row` because a required property is missing or different.
    private static func excludes(_ row: Row, _ other: Row) -> Bool {
        if other.isOpen { return false }
        return row.members.contains { member in
            guard member.isRequired else { return false }
            guard let same = other.members.first(where: { $0.name.isSame(as: member.name) }) else {
                return true
            }
            guard same.isRequired, !member.isNullable || !same.isNullable else { return false }
            if member.kinds.isDisjoint(with: same.kinds) { return true }
            return !member.values.isEmpty && !same.values.isEmpty
                && Set(texts: member.values).isDisjoint(with: Set(texts: same.values))
        }
    }

    // MARK: Text

    /// - Parameter isWhole: Whether optional properties are compared, and not only required ones and constants.
    private mutating func line(_ row: Row, depth: Int, keepsUnknown: Bool, isWhole: Bool) -> String {
        let references = self.references(to: row.inner, depth: depth)
        if row.kinds == [.array] { return "[" + references + "\n" }
        guard row.kinds == [.object] else {
            return "*" + Self.bits(row.kinds) + row.values.map { "\u{1}" + $0 }.joined() + "\n"
        }
        var members = row.members.filter { isWhole || $0.isRequired || !$0.values.isEmpty }.map { member in
            ([Self.mark(member) + member.name] + member.values).joined(separator: "\u{1}")
        }
        if isWhole {
            members += row.patterns.map { "^" + Self.bits($0.kinds) + String(line(ofPattern: $0.text)) }
        }
        // If another branch keeps unknown members, a branch that forbids them has the lowest priority.
        let hasRest = row.isOpen && (row.patterns.isEmpty || !row.inner.isEmpty)
        let isOpen = hasRest || row.unknown == .kept
        let mark = isOpen ? "+" : keepsUnknown && row.unknown == .forbidden ? "=" : "-"
        return mark + references + members.joined(separator: "\t") + "\n"
    }

    private mutating func line(ofPattern text: String) -> Int {
        if let line = patternLines[text] { return line }
        patternLines[text] = patterns.count
        patterns.append(text)
        return patterns.count - 1
    }

    /// The offsets of the rows of a schema in `elements`. None: any value fits.
    private mutating func references(to schemas: [Schema], depth: Int) -> String {
        guard depth < Self.depth, elements.utf8.count < Self.size else { return "" }
        var rows: [Row] = []
        for schema in schemas {
            guard let own = self.rows(schema) else { return "" }
            rows += own
        }
        var result = ""
        for row in rows {
            let line = self.line(row, depth: depth + 1, keepsUnknown: false, isWhole: true)
            let offset = offsets[line] ?? elements.utf8.count
            if offsets.updateValue(offset, forKey: ExactText(line)) == nil { elements += line }
            result += "\(offset),"
        }
        return result
    }

    private static func mark(_ member: Member) -> String {
        let mark = !member.isRequired ? "?" : member.isNullable && !member.values.isEmpty ? "~" : "!"
        return mark + bits(member.kinds)
    }

    private static func bits(_ kinds: Set<JSONKind>) -> String {
        var bits: UInt8 = 0
        for kind in kinds {
            switch kind {
            case .bool: bits |= 1
            case .number: bits |= 2
            case .string: bits |= 4
            case .array: bits |= 8
            case .object: bits |= 16
            }
        }
        return String(Character(Unicode.Scalar(0x40 | bits)))
    }
}
