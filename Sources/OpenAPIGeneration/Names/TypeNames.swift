/// The Swift names of all declared types, and their enclosing types.
struct TypeNames {
    struct Entry {
        /// The enclosing declared type; nil for the namespace itself.
        let owner: JSONPointer?
        let name: String
        /// With all enclosing types, without the namespace.
        let path: String
        /// The doc comment for a type without a description: `The schema …`.
        let subject: String
        /// The place that selects the file: that of a component, an operation or the type.
        let home: JSONPointer
    }

    private(set) var entries = [JSONPointer: Entry]()
    /// The types inside each declared type, by name.
    private(set) var nested = [JSONPointer: [JSONPointer]]()
    /// The types in the namespace.
    private(set) var top: [JSONPointer] = []

    subscript(pointer: JSONPointer) -> Entry? { entries[pointer] }

    private var scopes = [JSONPointer: NameScope]()

    /// Names `declarations`. The scope of the namespace is used again for failures and other types.
    init(
        _ declarations: [JSONPointer: Declaration], aliases: [JSONPointer], namespace: String,
        operations: [Operation], events: [EventSet], identifiers: OperationIdentifiers, lock: NameLock,
        scope: inout NameScope
    ) {
        let roots = NameRoots(operations: operations, events: events, identifiers: identifiers)
        var waiting: [(pointer: JSONPointer, place: NamePlace)] = []
        var named = Set(aliases)
        for (pointer, declaration) in declarations {
            if case .opaque = declaration.kind { continue }
            named.insert(pointer)
        }
        for pointer in named {
            waiting.append((pointer, roots.place(of: pointer, declarations: declarations)))
        }
        // Owners before nested types; components before inline types of operations.
        waiting.sort {
            ($0.place.rank, $0.pointer) < ($1.place.rank, $1.pointer)
        }
        for (pointer, place) in waiting {
            let type = SwiftName.type(place.name)
            let wanted = type == namespace ? type + "_" : type
            let outer = place.owner.flatMap { entries[$0] }
            let name: String
            if let owner = place.owner, let outer {
                var inner =
                    scopes[owner] ?? NameScope(reserving: [namespace], held: lock.types(in: outer.path))
                name = inner.claim(wanted, for: pointer.text)
                scopes[owner] = inner
                nested[owner, default: []].append(pointer)
            } else {
                name = scope.claim(wanted, for: pointer.text)
                top.append(pointer)
            }
            entries[pointer] = Entry(
                owner: outer.flatMap { _ in place.owner }, name: name,
                path: (outer.map { $0.path + "." } ?? "") + name, subject: place.subject,
                home: outer?.home ?? place.home)
        }
        for owner in nested.keys {
            let entries = entries
            nested[owner]?.sort { (entries[$0]?.name ?? "") < (entries[$1]?.name ?? "") }
        }
    }
}

/// The owner and name of a type, before collisions are resolved.
struct NamePlace {
    var owner: JSONPointer?
    var name: String
    var subject: String
    var home: JSONPointer
    /// 0 for the type of a component, 1 for other types of the namespace, 2 and more for nested types.
    var rank: Int
}
