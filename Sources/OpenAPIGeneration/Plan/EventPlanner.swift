/// Names the cases of webhooks and callbacks, and decides how they are distinguished.
struct EventPlanner {
    let types: SchemaTypes
    let declarations: [JSONPointer: Declaration]
    let layout: TypeLayout
    let identifiers: OperationIdentifiers
    var lock = NameLock()

    func plans(_ sets: [EventSet], scope: inout NameScope) -> [EventSetPlan] {
        var result: [EventSetPlan] = []
        for set in sets {
            let name = set.operation.map { identifiers[$0] + "Callbacks" } ?? "Webhooks"
            result.append(plan(set, name: scope.claim(name, for: set.place)))
        }
        return result
    }

    private func plan(_ set: EventSet, name: String) -> EventSetPlan {
        let (recognition, values) = recognition(of: set.events)
        let reserved = SwiftName.optionalCases.union(["unrecognized", "parse", "init"])
        let places = set.events.map { NameLock.Place.event($0, of: set) }
        var scope = NameScope(reserving: reserved, places: places, in: lock)
        let cases = set.events.enumerated().map { offset, event in
            EventSetPlan.Case(
                event: event, plainName: scope.claim(SwiftName.enumCase(event.name), for: places[offset]),
                payload: .init(event.content, types),
                isIndirect: event.content.map { layout.isBoxed($0.schema, in: EventSet.home) } ?? false,
                values: values.isEmpty ? [] : values[offset])
        }
        return EventSetPlan(set: set, name: name, recognition: recognition, cases: cases)
    }

    private func recognition(of events: [Event]) -> (EventSetPlan.Recognition, [[String]]) {
        if events.count == 1 { return (.only, []) }
        let objects = events.compactMap { event -> ObjectDeclaration? in
            guard let content = event.content, content.kind == .json, !content.schema.isNullable,
                case .object(let object)? = declarations.kind(of: content.schema.documented)
            else { return nil }
            return object
        }
        guard objects.count == events.count, let first = objects.first else { return (.name, []) }
        for candidate in first.properties.filter(\.isRequired).map(\.name).sorted() {
            var values: [[String]] = []
            var seen = Set<ExactText>()
            for object in objects {
                let property = object.properties.first { $0.name.isSame(as: candidate) && $0.isRequired }
                let own = property.map { strings($0.schema) } ?? []
                guard !own.isEmpty, seen.isDisjoint(with: Set(texts: own)) else { break }
                seen.formUnion(Set(texts: own))
                values.append(own)
            }
            if values.count == events.count { return (.property(candidate), values) }
        }
        return (.name, [])
    }

    /// The allowed strings of a schema, sorted. Empty if any string is allowed.
    private func strings(_ schema: Schema) -> [String] {
        if let constant = schema.annotations.constant?.string { return [constant] }
        guard case .enumeration(let enumeration)? = declarations.kind(of: schema.documented),
            !enumeration.isInteger
        else { return [] }
        return enumeration.sorted
    }
}
