/// The model that is rendered: names, directions, boxes and plans.
final class CodeModel {
    let document: APIDocument
    let namespace: String
    let declarations: [JSONPointer: Declaration]
    /// With those of schemas whose values have a type of the user.
    let documented: [JSONPointer: Declaration]
    let unions: [JSONPointer: UnionPlan]
    let names: TypeNames
    let directions: TypeDirections
    let members: MemberPlans
    let cases: CaseNames
    let layout: TypeLayout
    /// Components that do not become types.
    let aliases: [JSONPointer: Schema]
    /// Inline types that are equal to others.
    let interner: TypeInterner
    let groups: [GroupPlan]
    let operations: [OperationPlan]
    let failures: [FailurePlan]
    let events: [EventSetPlan]
    /// The names of types, methods and groups for `openapi.lock`.
    let settled: [ExactText: String]
    /// The properties that generated code uses: of pages, and of bodies that request a stream.
    let usedMembers: Set<MemberUse>
    /// The equality conformance of the types.
    var equality = EqualityKind.equatable

    init(
        _ document: APIDocument, namespace: String, lock: NameLock = NameLock(),
        bothDirections: SchemaScope = .none, unknownProperties: SchemaScope = .none,
        pagination: [String: PaginationOverride] = [:], sink: DiagnosticSink
    ) {
        let kept = KeptProperties(document, unknownProperties, sink: sink)
        let planner = UnionPlanner(kept.declarations, sink: sink)
        let restricted = BranchDiscriminators(planner.declarations, plans: planner.plans).declarations
        let all = TypeGraph(declarations: restricted)
        directions = TypeDirections(
            document.operations, events: document.events, components: document.components.map(\.schema),
            graph: all, both: bothDirections.types(in: all, components: document.components, sink: sink))
        kept.check(directions)
        var needed = all.reach(document.components.map(\.schema))
        needed.formUnion(directions.all)
        let declarations = restricted.filter { needed.contains($0.key) }
        documented = restricted
        let graph = TypeGraph(declarations: declarations)
        members = MemberPlans(declarations, directions: directions, lock: lock)
        let identifiers = OperationIdentifiers(document.operations, lock: lock, sink: sink)
        var aliases = [JSONPointer: Schema]()
        for component in document.components where !Self.isOwn(component, declarations) {
            aliases[component.pointer] = component.schema
        }
        var scope = NameScope(
            reserving: SwiftName.reservedTypes.union([namespace]), held: lock.types(in: nil))
        names = TypeNames(
            declarations, aliases: Array(aliases.keys), namespace: namespace,
            operations: document.operations, events: document.events, identifiers: identifiers, lock: lock,
            scope: &scope)
        let types = SchemaTypes(names: names, declarations: declarations)
        let interner = TypeInterner(declarations, names: names, directions: directions)
        let byTag = GroupPlan.groups(of: document, namespace: namespace, lock: lock)
        let groups = GroupPlan.groups(byTag, of: document.operations)
        let methods = MethodNames(document.operations, groups: groups, lock: lock)
        let translator = OperationPlanner(
            document: document, namespace: namespace, declarations: documented, members: members,
            types: types, identifiers: identifiers, methods: methods, groups: groups, pages: pagination,
            interner: interner, directions: directions, lock: lock, sink: sink)
        let plans = translator.plans(scope: &scope)
        layout = TypeLayout(graph: graph, members: members)
        events = EventPlanner(
            types: types, declarations: documented, layout: layout, identifiers: identifiers, lock: lock
        ).plans(document.events, scope: &scope)
        failures = FailurePlan.interned(plans, namespace: namespace, scope: &scope)
        self.document = document
        self.namespace = namespace
        self.declarations = declarations
        self.unions = planner.plans
        cases = CaseNames(declarations, types: names, lock: lock)
        self.aliases = aliases
        self.interner = interner
        self.groups = GroupPlan.used(byTag, by: plans)
        self.operations = plans
        usedMembers = Set(
            plans.flatMap(Self.uses).map { MemberUse(type: interner.rendered($0.type), key: $0.key) })
        var settled = Self.settled(names, methods, identifiers, plans)
            .merging(events.map { (ExactText($0.set.place), $0.name) }) { own, _ in own }
        for failure in failures {
            if let place = failure.place { settled[place] = failure.name }
        }
        for (tag, group) in byTag {
            settled[NameLock.Place.tag(tag.text)] = group.type
            settled[NameLock.Place.resource(tag.text)] = group.property
        }
        self.settled = settled
    }

    /// The properties that pages, and bodies that request a stream, use.
    private static func uses(_ plan: OperationPlan) -> [MemberUse] {
        let pages: [MemberUse] = plan.page?.members.flatMap(\.value.members) ?? []
        let switches = ([plan] + plan.alternatives).compactMap(\.stream?.bodySwitch)
        return pages + switches.map { MemberUse(type: $0.type, key: $0.member.key) }
    }

    /// The names of all types and methods by their places, for `openapi.lock`.
    private static func settled(
        _ names: TypeNames, _ methods: MethodNames, _ identifiers: OperationIdentifiers,
        _ plans: [OperationPlan]
    ) -> [ExactText: String] {
        var result = [ExactText: String]()
        for (pointer, entry) in names.entries { result[pointer.text] = entry.path }
        for (pointer, name) in methods.all { result[NameLock.Place.method(pointer)] = name }
        for plan in plans {
            let place = plan.operation.pointer
            result[place.text] = identifiers[plan.operation]
            result[NameLock.Place.failure(place)] = plan.failure.name
            if case .several(let name) = plan.success.reading {
                result[NameLock.Place.success(place)] = name
            }
            if let page = plan.page { result[NameLock.Place.pages(place)] = page.methodName }
            if let stream = plan.stream, !stream.isOnly {
                result[NameLock.Place.stream(place)] = stream.methodName
            }
            if let name = plan.success.headersName { result[NameLock.Place.headers(place)] = name }
        }
        return result
    }

    /// All names for `openapi.lock`.
    var allSettled: [ExactText: String] {
        var result = settled.merging(members.settled) { own, _ in own }
            .merging(cases.settled) { own, _ in own }
        for plan in operations {
            for argument in plan.arguments + (plan.choosing.map { [$0.argument] } ?? []) {
                if let place = argument.place { result[place] = argument.name }
            }
            for item in plan.success.cases + plan.failure.cases {
                for place in item.places { result[place] = item.plainName }
            }
            for choice in plan.choices { result[choice.place] = choice.plainName }
        }
        for plan in events {
            for item in plan.cases {
                result[NameLock.Place.event(item.event, of: plan.set)] = item.plainName
            }
        }
        return result
    }

    var types: SchemaTypes { SchemaTypes(names: names, declarations: declarations) }

    /// Whether a component is the type that its schema declares.
    private static func isOwn(
        _ component: APIDocument.Component, _ declarations: [JSONPointer: Declaration]
    ) -> Bool {
        guard case .declared(let pointer) = component.schema.shape, let declaration = declarations[pointer]
        else { return false }
        if case .opaque = declaration.kind { return false }
        return pointer == component.pointer || pointer.text.hasPrefix(component.pointer.text + "/")
    }
}
