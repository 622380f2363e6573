/// The operations of a tag.
struct GroupPlan {
    let type: String
    private(set) var property: String
    let text: String

    /// The group that a tag belongs to.
    ///
    /// - Parameter taken: The names of methods of the client.
    private init(tag: String, namespace: String, document: APIDocument, lock: NameLock, taken: Set<String>) {
        var type = SwiftName.type(tag)
        // A group with one of these names would shadow a type that the client uses.
        let reserved = ["Server", "Credentials", "Duration", "NetworkError", "WithResponse", namespace]
        if reserved.contains(type) { type += "Operations" }
        var property = SwiftName.member(tag)
        if ["client", "withResponse"].contains(property) || taken.contains(property) {
            property += "Operations"
        }
        // Without uppercase letters, the type and the property would have the same name.
        if property == type { type += "Operations" }
        let locked = (lock.locked[NameLock.Place.tag(tag)], lock.locked[NameLock.Place.resource(tag)])
        if let own = locked.0, let name = locked.1, own != name, !reserved.contains(own),
            !["client", "withResponse"].contains(name)
        {
            (type, property) = (own, name)
        }
        self.type = type
        self.property = property
        text = document.tags[tag] ?? "The operations tagged `\(tag)`."
    }

    /// The groups by their tags.
    static func groups(
        of document: APIDocument, namespace: String, lock: NameLock = NameLock()
    ) -> [ExactText: GroupPlan] {
        var taken = Set<String>()
        for operation in document.operations where operation.tags.isEmpty {
            if let name = lock.locked[NameLock.Place.method(operation.pointer)] { taken.insert(name) }
        }
        var held = [ExactText: String]()
        var plans: [(tag: String, plan: GroupPlan)] = []
        for tag in Set(texts: document.operations.compactMap(\.tags.first)).texts {
            let plan = GroupPlan(tag: tag, namespace: namespace, document: document, lock: lock, taken: taken)
            plans.append((tag, plan))
            if lock.locked[NameLock.Place.resource(tag)] == plan.property { held[tag] = plan.property }
        }
        // Locked properties are assigned first. Tags with the same type share a property; other tags do not.
        plans.sort { held[$0.tag] != nil && held[$1.tag] == nil }
        var scope = NameScope(reserving: taken.union(["client", "withResponse"]), held: held)
        var properties = [String: String]()
        var result = [ExactText: GroupPlan]()
        for (tag, plan) in plans {
            let property = properties[plan.type] ?? scope.claim(plan.property, for: tag)
            properties[plan.type] = property
            result[tag] = plan
            result[tag]?.property = property
        }
        return result
    }

    /// The group of each operation that has one.
    static func groups(_ groups: [ExactText: GroupPlan], of operations: [Operation]) -> [JSONPointer:
        GroupPlan]
    {
        var result = [JSONPointer: GroupPlan]()
        for operation in operations {
            if let tag = operation.tags.first { result[operation.pointer] = groups[tag] }
        }
        return result
    }

    /// The groups that have operations, by type name. Tags that differ only in spelling share a group.
    static func used(_ groups: [ExactText: GroupPlan], by plans: [OperationPlan]) -> [GroupPlan] {
        var result = [String: GroupPlan]()
        for tag in Set(texts: plans.compactMap(\.operation.tags.first)).texts {
            if let group = groups[tag], result[group.type] == nil { result[group.type] = group }
        }
        return result.values.sorted { $0.type < $1.type }
    }
}
