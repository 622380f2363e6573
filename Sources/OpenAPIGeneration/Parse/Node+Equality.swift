extension Node {
    /// Whether two values are equal, independent of positions, the order of members and the notation of numbers. Two
    /// nil values are equal.
    static func areEqual(_ left: Value?, _ right: Value?) -> Bool {
        switch (left, right) {
        case (nil, nil), (.null?, .null?): return true
        case (.bool(let first)?, .bool(let second)?): return first == second
        case (.string(let first)?, .string(let second)?): return first.isSame(as: second)
        case (.number(let first)?, .number(let second)?):
            return first == second || Double(first) == Double(second)
        case (.array(let first)?, .array(let second)?):
            return first.count == second.count
                && zip(first, second).allSatisfy { areEqual($0.value, $1.value) }
        case (.object(let first)?, .object(let second)?):
            return first.members.count == second.members.count
                && first.members.allSatisfy { member in
                    guard let other = second.member(member.key) else { return false }
                    return areEqual(member.value.value, other.value.value)
                }
        default: return false
        }
    }
}
