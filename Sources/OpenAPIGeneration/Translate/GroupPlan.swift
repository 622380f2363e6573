/// The operations of a tag.
struct GroupPlan {
    let type: String
    let property: String
    let text: String

    /// The group that a tag belongs to.
    ///
    /// - Parameter taken: What methods of the client itself are called already.
    private init(
        tag: String, namespace: String, document: APIDocument, lock: NameLock, taken: Set<String>
    ) {
        var type = SwiftName.type(tag)
        // One named like the namespace would hide it from the client's own code.
        let reserved = ["Server", "Credentials", "WithResponse", namespace]
        if reserved.contains(type) { type += "Operations" }
        var property = SwiftName.member(tag)
        if ["client", "withResponse"].contains(property) || taken.contains(property) {
            property += "Operations"
        }
        // Where nothing has a capital, the type and the property would be one name.
        if property == type { type += "Operations" }
        let locked = (
            lock.locked[NameLock.Place.tag(tag)], lock.locked[NameLock.Place.resource(tag)]
        )
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
    ) -> [String: GroupPlan] {
        var taken: Set<String> = []
        for operation in document.operations where operation.tags.isEmpty {
            if let name = lock.locked[NameLock.Place.method(operation.pointer)] { taken.insert(name) }
        }
        var result: [String: GroupPlan] = [:]
        for tag in Set(document.operations.compactMap(\.tags.first)) {
            result[tag] = GroupPlan(
                tag: tag, namespace: namespace, document: document, lock: lock, taken: taken)
        }
        return result
    }

    /// The group of each operation that has one.
    static func groups(_ groups: [String: GroupPlan], of operations: [Operation]) -> [JSONPointer: GroupPlan]
    {
        var result: [JSONPointer: GroupPlan] = [:]
        for operation in operations {
            if let tag = operation.tags.first { result[operation.pointer] = groups[tag] }
        }
        return result
    }

    /// Those that have operations, by type name. Tags that differ only in spelling share one.
    static func used(_ groups: [String: GroupPlan], by plans: [OperationPlan]) -> [GroupPlan] {
        var result: [String: GroupPlan] = [:]
        for tag in Set(plans.compactMap(\.operation.tags.first)).sorted() {
            if let group = groups[tag], result[group.type] == nil { result[group.type] = group }
        }
        return result.values.sorted { $0.type < $1.type }
    }
}
