/// The table for `ObjectMatch` in the runtime, which finds the best matching branch for an object.
struct MatchTable {
    /// The rows.
    private(set) var text = ""
    /// The branch of each row.
    private(set) var branches: [Int] = []
    /// Whether required properties distinguish all rows.
    private(set) var isCertain = true

    private struct Row {
        let branch: Int
        /// Whether additional properties are allowed.
        let isOpen: Bool
        var unknown = ObjectDeclaration.Unknown.dropped
        let members: [Member]
    }

    private struct Member {
        let name: String
        let isRequired: Bool
        let kinds: Set<JSONKind>
        let values: [String]
    }

    init(_ union: UnionDeclaration, _ branches: [Int], shapes: ValueShapes) {
        var rows: [Row] = []
        for branch in branches {
            var path: Set<JSONPointer> = []
            Self.gather(union.branches[branch].schema, branch, shapes, &path, &rows)
        }
        for (offset, row) in rows.enumerated() {
            for other in rows[(offset + 1)...]
            where other.branch != row.branch && !(Self.excludes(row, other) && Self.excludes(other, row)) {
                isCertain = false
            }
        }
        let keepsUnknown = rows.contains { $0.unknown == .kept }
        for row in rows { text += line(row, keepsUnknown: keepsUnknown) }
        self.branches = rows.map(\.branch)
    }

    private static func gather(
        _ schema: Schema, _ branch: Int, _ shapes: ValueShapes, _ path: inout Set<JSONPointer>,
        _ rows: inout [Row]
    ) {
        if case .map = schema.shape { rows.append(Row(branch: branch, isOpen: true, members: [])) }
        guard case .declared(let pointer) = schema.shape, path.insert(pointer).inserted else { return }
        switch shapes.declarations[pointer]?.kind {
        case .object(let object):
            let members = object.properties.filter { $0.name.utf8.allSatisfy { $0 >= 0x20 } }.map {
                property in
                let constant = property.schema.annotations.constant
                let flag = constant?.bool.map { [$0 ? "true" : "false"] }
                return Member(
                    name: property.name, isRequired: property.isRequired,
                    kinds: shapes.kinds(of: property.schema) ?? Set(JSONKind.allCases),
                    values: (flag ?? shapes.values(of: property.schema)?.texts ?? [])
                        .filter { $0.utf8.allSatisfy { $0 >= 0x20 } })
            }
            rows.append(
                Row(
                    branch: branch, isOpen: object.additional != nil, unknown: object.unknown,
                    members: members))
        case .union(let union):
            for inner in union.branches { gather(inner.schema, branch, shapes, &path, &rows) }
        case .enumeration, .opaque, nil: break
        }
    }

    /// Whether a value of `other` never matches `row` because a required property is missing or different.
    private static func excludes(_ row: Row, _ other: Row) -> Bool {
        if other.isOpen { return false }
        return row.members.contains { member in
            guard member.isRequired else { return false }
            guard let same = other.members.first(where: { $0.name == member.name }) else { return true }
            guard same.isRequired else { return false }
            if member.kinds.isDisjoint(with: same.kinds) { return true }
            return !member.values.isEmpty && !same.values.isEmpty
                && Set(member.values).isDisjoint(with: same.values)
        }
    }

    private func line(_ row: Row, keepsUnknown: Bool) -> String {
        let members = row.members.filter { $0.isRequired || !isCertain }.map { member in
            ([Self.mark(member) + member.name] + member.values).joined(separator: "\u{1}")
        }
        // If another branch keeps unknown members, a branch that forbids them has the lowest priority.
        let mark = row.isOpen ? "+" : keepsUnknown && row.unknown == .forbidden ? "=" : "-"
        return mark + members.joined(separator: "\t") + "\n"
    }

    private static func mark(_ member: Member) -> String {
        var bits: UInt8 = 0
        for kind in member.kinds {
            switch kind {
            case .bool: bits |= 1
            case .number: bits |= 2
            case .string: bits |= 4
            case .array: bits |= 8
            case .object: bits |= 16
            }
        }
        return (member.isRequired ? "!" : "?") + String(Character(Unicode.Scalar(0x40 | bits)))
    }
}
