/// The keywords of a schema that only validation knows: they do not change the Swift type.
struct SchemaRules {
    /// The values of each keyword in a schema, its references and its `allOf` members.
    private(set) var values = [String: [Node]]()

    private static let keywords = [
        "not", "contains", "minContains", "maxContains", "if", "then", "else", "dependentRequired",
        "dependentSchemas", "propertyNames",
    ]

    init() {}

    init(_ part: RawSchema.Part, in document: DiffDocument) {
        add(part, in: document, depth: 0)
        // They have no effect without the other.
        if values["then"] == nil, values["else"] == nil { values["if"] = nil }
        if values["contains"] == nil {
            values["minContains"] = nil
            values["maxContains"] = nil
        }
    }

    /// Adds the branches of a union that only restrict the schema itself.
    mutating func add(_ union: ResolvedSchema.Union) {
        values[union.isAnyOf ? "anyOf" : "oneOf", default: []] += union.parts.compactMap(\.node)
    }

    private mutating func add(_ part: RawSchema.Part, in document: DiffDocument, depth: Int) {
        guard depth < 32, let raw = document.schemas.reader.read(part) else { return }
        // OpenAPI 3.0 ignores the siblings of a reference.
        let isOld = document.schemas.reader.version == .v3_0
        if let node = part.node, !isOld || raw.reference == nil {
            for keyword in isOld ? ["not"] : Self.keywords {
                if let value = node[keyword] { values[keyword, default: []].append(value) }
            }
        }
        if let reference = raw.reference,
            let target = document.schemas.target(reference.text, at: part.position)
        {
            add(target, in: document, depth: depth + 1)
        }
        for member in raw.allOf { add(member, in: document, depth: depth + 1) }
    }

    /// Whether values of a keyword allow less than others. Nil: they are equal.
    func isTighter(than old: SchemaRules, _ keyword: String) -> Bool? {
        let (before, after) = (old.values[keyword] ?? [], values[keyword] ?? [])
        func hasAll(_ some: [Node], of others: [Node]) -> Bool {
            others.allSatisfy { other in some.contains { Node.areEqual($0.value, other.value) } }
        }
        let isAdded = !hasAll(before, of: after)
        guard isAdded || !hasAll(after, of: before) else { return nil }
        switch keyword {
        case "minContains":
            let counts = (Self.count(before, 1, max), Self.count(after, 1, max))
            return counts.0 == counts.1 ? nil : counts.0 < counts.1
        case "maxContains":
            let counts = (Self.count(before, .infinity, min), Self.count(after, .infinity, min))
            return counts.0 == counts.1 ? nil : counts.0 > counts.1
        // The value must match one of the branches: fewer branches allow less.
        case "anyOf": return before.isEmpty || (!after.isEmpty && !hasAll(after, of: before))
        // It must match exactly one of them: a further one allows less, too.
        case "oneOf": return !after.isEmpty
        case "not":
            guard let excluded = Self.excluded(before), let now = Self.excluded(after) else { return isAdded }
            return !hasAll(excluded, of: now)
        default: return isAdded
        }
    }

    /// The values that are listed by schemas of only an `enum` or a `const`.
    private static func excluded(_ schemas: [Node]) -> [Node]? {
        var result: [Node] = []
        for schema in schemas {
            guard schema.members.count == 1 else { return nil }
            if let constant = schema["const"] {
                result.append(constant)
            } else if let values = schema["enum"]?.array {
                result += values
            } else {
                return nil
            }
        }
        return result
    }

    private static func count(
        _ values: [Node], _ fallback: Double, _ choose: (Double, Double) -> Double
    ) -> Double {
        let numbers = values.compactMap { Double($0.literal) }
        guard let first = numbers.first else { return fallback }
        return numbers.reduce(first, choose)
    }
}

extension SchemaDiff {
    func compareRules(_ old: SchemaView, _ new: SchemaView, _ place: DiffPlace, _ direction: DiffSide) {
        for keyword in Set(old.rules.values.keys).union(new.rules.values.keys).sorted() {
            guard let isTighter = new.rules.isTighter(than: old.rules, keyword) else { continue }
            let change =
                old.rules.values[keyword] == nil
                ? "was added" : new.rules.values[keyword] == nil ? "was removed" : "changed"
            report(
                isTighter ? "constraint-tightened" : "constraint-loosened", place,
                "\"\(keyword)\" \(change)", direction, narrows: isTighter, swift: false)
        }
    }
}
