/// The names of the methods for all pages and for streams. They are derived from the names of operations, which take
/// precedence.
struct DerivedMethodNames {
    private var scopes = [String: NameScope]()
    /// The operation of each method, by group and name.
    private var owners = [String: [String: Operation]]()
    /// The keys of the names that are locked and free.
    private var locked = Set<ExactText>()
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
            var held = [ExactText: String]()
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
    static func locked(_ operation: Operation, _ lock: NameLock) -> [ExactText: String] {
        var result = [ExactText: String]()
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
