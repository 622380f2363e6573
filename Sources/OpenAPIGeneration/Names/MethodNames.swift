/// The method names of operations in their groups.
struct MethodNames {
    private var names: [JSONPointer: String] = [:]

    init(_ operations: [Operation], groups: [JSONPointer: GroupPlan], lock: NameLock) {
        var byGroup: [String: [Operation]] = [:]
        for operation in operations {
            byGroup[groups[operation.pointer]?.type ?? "", default: []].append(operation)
        }
        for (group, members) in byGroup {
            var short: [String: Int] = [:]
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

/// The names of the methods for all pages and for streams. They are derived from the names of operations, which take
/// precedence.
struct DerivedMethodNames {
    private var scopes: [String: NameScope] = [:]
    /// The operation of each method, by group and name.
    private var owners: [String: [String: Operation]] = [:]
    /// The keys of the names that are locked and free.
    private var locked: Set<String> = []
    private let groups: [JSONPointer: GroupPlan]
    private let sink: DiagnosticSink

    init(
        _ operations: [Operation], methods: MethodNames, groups: [JSONPointer: GroupPlan], lock: NameLock,
        sink: DiagnosticSink
    ) {
        self.groups = groups
        self.sink = sink
        for operation in operations {
            owners[groups[operation.pointer]?.type ?? "", default: [:]][methods[operation]] = operation
        }
        for (group, methods) in owners {
            let taken = MethodNames.reserved(isGrouped: !group.isEmpty, groups).union(methods.keys)
            var held: [String: String] = [:]
            for operation in methods.values {
                for (place, name) in Self.locked(operation, lock) where !taken.contains(name) {
                    held[place] = name
                }
            }
            locked.formUnion(held.keys)
            scopes[group] = NameScope(reserving: taken, held: held)
        }
    }

    /// The locked names of the derived methods of an operation, by their keys.
    static func locked(_ operation: Operation, _ lock: NameLock) -> [String: String] {
        var result: [String: String] = [:]
        for place in [NameLock.Place.pages(operation.pointer), NameLock.Place.stream(operation.pointer)] {
            result[place] = lock.locked[place]
        }
        return result
    }

    /// The name of the method for all pages.
    mutating func pages(_ name: String, of operation: Operation) -> String {
        claim(name, "all pages", operation, NameLock.Place.pages(operation.pointer))
    }

    /// The name of the method for a stream.
    mutating func stream(_ name: String, of operation: Operation) -> String {
        claim(name, "the stream", operation, NameLock.Place.stream(operation.pointer))
    }

    /// The locked name or `name`, otherwise `name` with a number and a warning.
    private mutating func claim(
        _ name: String, _ purpose: String, _ operation: Operation, _ place: String
    ) -> String {
        let group = groups[operation.pointer]?.type ?? ""
        let given = scopes[group, default: NameScope()].claim(name, for: place)
        if locked.contains(place) { return given }
        guard given != name else {
            owners[group, default: [:]][name] = operation
            return name
        }
        let note = owners[group]?[name].map {
            Diagnostic.Note(message: "\"\(name)\" is a method of this operation", position: $0.position)
        }
        sink.warn(
            .nameCollision, "the name \"\(name)\" is taken; the method for \(purpose) is named \"\(given)\"",
            at: operation.position, notes: note.map { [$0] } ?? [])
        return given
    }
}
