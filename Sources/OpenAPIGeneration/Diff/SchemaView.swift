/// A schema in the form used for comparison: `allOf` is merged, and null is removed from types and unions.
struct SchemaView {
    private(set) var pointer: JSONPointer
    private(set) var position: SourcePosition
    /// Empty for any.
    var types: RawSchema.Types
    var isNullable: Bool
    var format: String?
    var values: [Node]?
    var properties = [ExactText: RawSchema.Part]()
    var required = Set<ExactText>()
    /// The schemas of `patternProperties`.
    var patterns = [ExactText: RawSchema.Part]()
    /// The schemas of the first elements.
    var prefix: [RawSchema.Part] = []
    var additional: RawSchema.Additional
    var applied = [Applicator: RawSchema.Part]()
    var branches: [RawSchema.Part] = []
    var discriminator: RawSchema.Discriminator?
    /// The outermost of each.
    var bounds = [Bound: Node]()
    var rules = SchemaRules()
    var defaultValue: Node?
    var isReadOnly = false
    var isWriteOnly = false
    var isDeprecated = false

    /// Nil for an invalid schema, and for one that accepts any value.
    init?(_ part: RawSchema.Part, in document: DiffDocument, depth: Int = 0) {
        guard depth < 32, let flat = document.schemas.resolved(part) else { return nil }
        pointer = Self.declared(part, in: document).pointer
        position = part.position
        types = flat.types
        isNullable = flat.isNullable
        format = flat.format
        additional = flat.additional
        applied = flat.applied
        required = Set(texts: flat.required)
        values = flat.values?.filter { !$0.isNull }
        if let all = flat.values, all.count > values?.count ?? 0 { isNullable = true }
        types.remove(.null)
        // Values without a type have the types of JSON that they are of.
        if types.isEmpty { types = (values ?? []).reduce(into: []) { $0.formUnion(.init(of: $1)) } }
        func combined(_ property: ResolvedSchema.Property, of keyword: String) -> RawSchema.Part {
            property.parts.count == 1
                ? property.parts[0]
                : RawSchema.Part(
                    allOf: property.parts, at: flat.pointer.appending(keyword).appending(property.name),
                    position: property.position)
        }
        for property in flat.properties { properties[property.name] = combined(property, of: "properties") }
        for pattern in flat.patterns { patterns[pattern.name] = combined(pattern, of: "patternProperties") }
        prefix = flat.prefix.map { combined($0, of: "prefixItems") }
        if types.isEmpty, !properties.isEmpty || !additional.isUnsaid { types = .object }
        if types.isEmpty, flat.items != nil || !prefix.isEmpty { types = .array }
        rules = SchemaRules(part, in: document)
        let unions = document.schemas.substantialUnions(flat, isNullable: &isNullable)
        for union in flat.unions {
            let isSubstantial = unions.contains {
                $0.position == union.position && $0.isAnyOf == union.isAnyOf
            }
            guard isSubstantial || union.parts.contains(where: \.isNull) else {
                rules.add(union)
                continue
            }
            for branch in union.parts {
                if branch.isNull {
                    isNullable = true
                } else {
                    branches.append(branch)
                }
            }
            discriminator = discriminator ?? union.discriminator
        }
        bounds = flat.bounds.compactMapValues(\.first)
        let annotations = flat.annotations
        defaultValue = annotations.defaultValue
        isReadOnly = annotations.isReadOnly
        isWriteOnly = annotations.isWriteOnly
        isDeprecated = annotations.isDeprecated
        // A union of X and null becomes X.
        guard branches.count == 1, properties.isEmpty, types.isEmpty else { return }
        if let only = SchemaView(branches[0], in: document, depth: depth + 1) {
            let wasNullable = isNullable
            self = only
            isNullable = isNullable || wasNullable
        }
    }

    /// The schema that a reference resolves to.
    static func declared(_ part: RawSchema.Part, in document: DiffDocument) -> RawSchema.Part {
        guard let node = part.node, node.removing(OwnType.keyword).members.count == 1,
            node.reference != nil
        else { return part }
        let target = document.final(node, at: part.pointer)
        return RawSchema.Part(node: target.node, pointer: target.pointer)
    }
}

extension RawSchema.Types {
    /// The type of a value.
    fileprivate init(of value: Node) {
        switch value.value {
        case .null: self = .null
        case .bool: self = .boolean
        case .number: self = LiteralKey.isInteger(value) ? .integer : .number
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    /// All possible types of a value; a number may be an integer.
    var all: RawSchema.Types {
        guard !isEmpty else { return [.boolean, .integer, .number, .string, .array, .object] }
        return contains(.number) ? union(.integer) : self
    }

    var words: String {
        let names: [(RawSchema.Types, String)] = [
            (.boolean, "boolean"), (.integer, "integer"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"),
        ]
        let own = names.filter { contains($0.0) }.map(\.1)
        return own.isEmpty ? "any" : own.joined(separator: " or ")
    }
}
