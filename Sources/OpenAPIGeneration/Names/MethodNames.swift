/// The method names of operations in their groups.
struct MethodNames {
    private var names = [JSONPointer: String]()

    init(_ operations: [Operation], groups: [JSONPointer: GroupPlan], lock: NameLock) {
        var byGroup = [String: [Operation]]()
        for operation in operations {
            byGroup[groups[operation.pointer]?.type ?? "", default: []].append(operation)
        }
        for (group, members) in byGroup {
            var short = [String: Int]()
            for operation in members {
                short[Self.short(operation, isGrouped: !group.isEmpty), default: 0] += 1
            }
            let reserved = Self.reserved(isGrouped: !group.isEmpty, groups)
            // Locked names of derived methods are kept when an operation is added.
            let derived = members.flatMap { DerivedMethodNames.locked($0, lock).values }
            var scope = NameScope(
                reserving: reserved, places: members.map { NameLock.Place.method($0.pointer) }, in: lock)
            scope.reserve(derived)
            for operation in members {
                var name = Self.short(operation, isGrouped: !group.isEmpty)
                if short[name] ?? 0 > 1 { name = Self.long(operation) }
                names[operation.pointer] = scope.claim(name, for: NameLock.Place.method(operation.pointer))
            }
        }
    }

    subscript(operation: Operation) -> String { names[operation.pointer] ?? "call" }

    /// The names, by the places of the operations.
    var all: [JSONPointer: String] { names }

    /// The names of a group, or of the client, that no method may have.
    static func reserved(isGrouped: Bool, _ groups: [JSONPointer: GroupPlan]) -> Set<String> {
        let own: Set<String> = ["client", "withResponse", "init"]
        return isGrouped ? own : own.union(groups.values.map(\.property))
    }

    private static func long(_ operation: Operation) -> String {
        SwiftName.member(words: SwiftName.words(OperationIdentifiers.words(operation)))
    }

    /// The name without the words of the group: `listBooks` in `books` is `list`.
    private static func short(_ operation: Operation, isGrouped: Bool) -> String {
        guard isGrouped, operation.id != nil, let tag = operation.tags.first else { return long(operation) }
        var words = SwiftName.words(OperationIdentifiers.words(operation))
        let own = SwiftName.words(tag).map { $0.lowercased() }
        guard words.count >= 2 else { return long(operation) }
        var start = 1
        while start + own.count <= words.count {
            let run = words[start..<(start + own.count)].map { $0.lowercased() }
            if zip(run, own).allSatisfy({ isSame($0, $1) }) {
                words.removeSubrange(start..<(start + own.count))
                break
            }
            start += 1
        }
        return SwiftName.member(words: words)
    }

    /// Whether two words are equal except for the plural.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        first == second || plurals(first).contains(second) || plurals(second).contains(first)
    }

    private static func plurals(_ word: String) -> [String] {
        var result = [word + "s", word + "es"]
        if word.hasSuffix("y") { result.append(word.dropLast() + "ies") }
        return result
    }
}
