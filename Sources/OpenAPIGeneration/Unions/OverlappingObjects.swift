/// The objects that a value can match at once, as branches of an `anyOf` or beside a map, or inside of such branches. They
/// keep the properties that they do not define: these can belong to another branch.
///
/// Types that the same value can have are in one group. Why: a group grows at most once for each type, so that no
/// document makes this slow.
struct OverlappingObjects {
    private(set) var objects = Set<JSONPointer>()

    private let declarations: [JSONPointer: Declaration]
    /// The group of each type, or the one that it became a part of.
    private var groups = [JSONPointer: JSONPointer]()
    private var contents = [JSONPointer: Content]()
    /// Schemas of the same values.
    private var pending: [(Schema, Schema)] = []

    /// What the values of a group contain.
    private struct Content {
        var properties = [ExactText: Schema]()
        var values: Schema?
        /// The first elements of tuples, by their positions.
        var elements = [ExactText: Schema]()
        var items: Schema?
    }

    init(_ declarations: [JSONPointer: Declaration]) {
        self.declarations = declarations
        let shapes = ValueShapes(declarations: declarations)
        for (pointer, declaration) in declarations {
            if let union = declaration.union, Self.overlaps(union, shapes) { _ = group(of: pointer) }
            if case .object(let object) = declaration.kind {
                for pattern in object.patterns.dropFirst() {
                    pending.append((object.patterns[0].schema, pattern.schema))
                }
            }
        }
        while let (one, other) = pending.popLast() { join(one, other) }
    }

    /// Whether a value can match several branches that have members. A map matches objects, too. A discriminator decides
    /// how a value is decoded, not what it matches.
    private static func overlaps(_ union: UnionDeclaration, _ shapes: ValueShapes) -> Bool {
        guard union.isAnyOf || union.branches.contains(where: { $0.schema.shape.values != nil }) else {
            return false
        }
        let kinds = union.branches.map { shapes.kinds(of: $0.schema) ?? [] }
        let objects = kinds.indices.filter { kinds[$0].contains(.object) }
        if objects.count > 1, shapes.constants(union, objects)?.decide != true { return true }
        return kinds.filter { $0.contains(.array) }.count > 1
    }

    private mutating func join(_ one: Schema, _ other: Schema) {
        switch (one.shape, other.shape) {
        case (.array(let one), .array(let other)), (.map(let one), .map(let other)):
            pending.append((one, other))
        case (.declared(let one), .declared(let other)):
            guard one != other else { return }
            var (own, merged) = (group(of: one), group(of: other))
            guard own != merged else { return }
            if size(of: merged) > size(of: own) { swap(&own, &merged) }
            guard let content = contents.removeValue(forKey: merged) else { return }
            groups[merged] = own
            for (name, schema) in content.properties { add(name.text, schema, to: own) }
            if let values = content.values { add(values: values, to: own) }
            for (position, schema) in content.elements { add(element: position.text, schema, to: own) }
            if let items = content.items { add(items: items, to: own) }
        case (.declared(let type), .map(let values)), (.map(let values), .declared(let type)):
            add(values: values, to: group(of: type))
        case (.declared(let type), .array(let items)), (.array(let items), .declared(let type)):
            add(items: items, to: group(of: type))
        default: break
        }
    }

    /// The group of a type. The branches of a union are in its group.
    private mutating func group(of type: JSONPointer) -> JSONPointer {
        var group = type
        while let next = groups[group], next != group {
            groups[group] = groups[next]
            group = next
        }
        guard groups[type] == nil else { return group }
        groups[type] = type
        contents[type] = Content()
        switch declarations[type]?.kind {
        case .object(let object):
            objects.insert(type)
            for property in object.properties { add(property.name, property.schema, to: type) }
            // A name can match several patterns.
            for pattern in object.patterns { add(values: pattern.schema, to: type) }
            if let values = object.additional { add(values: values, to: type) }
        case .union(let union):
            for branch in union.branches {
                pending.append((Schema(shape: .declared(type), position: branch.position), branch.schema))
            }
        case .tuple(let tuple):
            for element in tuple.properties { add(element: element.name, element.schema, to: type) }
            if let items = tuple.additional { add(items: items, to: type) }
        case .enumeration, .opaque, nil: break
        }
        return type
    }

    private func size(of group: JSONPointer) -> Int { contents[group]?.properties.count ?? 0 }

    private mutating func add(_ name: String, _ schema: Schema, to group: JSONPointer) {
        if let known = contents[group]?.properties[name] {
            pending.append((known, schema))
        } else {
            contents[group]?.properties[name] = schema
            if let values = contents[group]?.values { pending.append((values, schema)) }
        }
    }

    private mutating func add(values: Schema, to group: JSONPointer) {
        if let known = contents[group]?.values { return pending.append((known, values)) }
        contents[group]?.values = values
        for schema in (contents[group]?.properties ?? [:]).values { pending.append((schema, values)) }
    }

    private mutating func add(element position: String, _ schema: Schema, to group: JSONPointer) {
        if let known = contents[group]?.elements[position] { return pending.append((known, schema)) }
        contents[group]?.elements[position] = schema
        if let items = contents[group]?.items { pending.append((items, schema)) }
    }

    private mutating func add(items: Schema, to group: JSONPointer) {
        if let known = contents[group]?.items { return pending.append((known, items)) }
        contents[group]?.items = items
        for schema in (contents[group]?.elements ?? [:]).values { pending.append((schema, items)) }
    }
}
