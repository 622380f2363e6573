/// A schema in the form used for comparison: `allOf` is merged, and null is removed from types and unions.
struct SchemaView {
    private(set) var pointer: JSONPointer
    private(set) var node: Node
    /// Empty for any.
    var types: RawSchema.Types
    var isNullable: Bool
    var format: String?
    var values: [Node]?
    var properties: [String: RawSchema.Part] = [:]
    var required: Set<String> = []
    var additional: RawSchema.Additional
    var items: RawSchema.Part?
    var branches: [RawSchema.Part] = []
    var discriminator: RawSchema.Discriminator?
    /// Bounds and patterns, also those of merged schemas.
    var limits: [String: Node] = [:]
    var defaultValue: Node?
    var isReadOnly = false
    var isWriteOnly = false
    var isDeprecated = false

    static let limitKeywords = [
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    ]

    /// Nil for an invalid schema, and for one that accepts any value.
    init?(_ part: RawSchema.Part, in document: DiffDocument, depth: Int = 0) {
        guard depth < 32, let flat = document.schemas.flattened(part) else { return nil }
        pointer = Self.declared(part, in: document).pointer
        node = part.node
        types = flat.types
        isNullable = flat.isNullable
        format = flat.format
        additional = flat.additional
        items = flat.items
        required = Set(flat.required)
        values = flat.values?.filter { !$0.isNull }
        if let all = flat.values, all.count > values?.count ?? 0 { isNullable = true }
        types.remove(.null)
        for property in flat.properties {
            properties[property.name] =
                property.parts.count == 1
                ? property.parts[0]
                : SyntheticSchema.allOf(
                    property.parts, at: flat.pointer.appending("properties").appending(property.name),
                    position: property.position)
        }
        if types.isEmpty, !properties.isEmpty || !additional.isUnsaid { types = .object }
        if types.isEmpty, items != nil { types = .array }
        for union in flat.unions {
            for branch in union.parts {
                if UnionIdiom.isNull(branch.node) {
                    isNullable = true
                } else {
                    branches.append(branch)
                }
            }
            discriminator = discriminator ?? union.discriminator
        }
        gather(part, document, depth: 0)
        let annotations = flat.annotations
        defaultValue = annotations.defaultValue
        isReadOnly = annotations.isReadOnly
        isWriteOnly = annotations.isWriteOnly
        isDeprecated = annotations.isDeprecated
        // "X or null" is X.
        guard branches.count == 1, properties.isEmpty, types.isEmpty else { return }
        if let only = SchemaView(branches[0], in: document, depth: depth + 1) {
            let takesNull = isNullable
            self = only
            isNullable = isNullable || takesNull
        }
    }

    /// The place of the schema that a reference resolves to.
    static func declared(
        _ part: RawSchema.Part, in document: DiffDocument
    ) -> (pointer: JSONPointer, node: Node) {
        guard part.node.members.count == 1, part.node.reference != nil else {
            return (part.pointer, part.node)
        }
        let target = document.final(part.node, at: part.pointer)
        return (target.pointer, target.node)
    }

    private mutating func gather(_ part: RawSchema.Part, _ document: DiffDocument, depth: Int) {
        guard depth < 32 else { return }
        for keyword in Self.limitKeywords where limits[keyword] == nil {
            limits[keyword] = part.node[keyword]
        }
        if let reference = part.node.reference, let text = reference.string,
            let target = try? document.resolver.target(of: text, at: reference.position)
        {
            gather(.init(node: target.node, pointer: target.pointer), document, depth: depth + 1)
        }
        for (offset, member) in (part.node["allOf"]?.array ?? []).enumerated() {
            let place = part.pointer.appending("allOf").appending(offset)
            gather(.init(node: member, pointer: place), document, depth: depth + 1)
        }
    }
}

extension RawSchema.Types {
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
