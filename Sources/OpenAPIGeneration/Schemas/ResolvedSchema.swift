import GatewayPatterns

/// A schema with its `allOf` members and references merged into one set of keywords.
struct ResolvedSchema {
    struct Property {
        let name: String
        let position: SourcePosition
        /// The schemas of the property in each member. All of them apply.
        var parts: [RawSchema.Part]
    }

    struct Union {
        var parts: [RawSchema.Part]
        let discriminator: RawSchema.Discriminator?
        let position: SourcePosition
        /// Whether a value can match several of the schemas.
        var isAnyOf = false
    }

    let pointer: JSONPointer
    let position: SourcePosition
    /// Empty: not restricted.
    var types: RawSchema.Types = []
    var isNullable = false
    /// The merged schemas, without duplicates.
    var folded = Set<JSONPointer>()
    var format: String?
    var values: [Node]?
    var valueNames: [String] = []
    var properties: [Property] = []
    var propertyIndex = [ExactText: Int]()
    var required: [String] = []
    /// Named by their patterns.
    var patterns: [Property] = []
    var additional = RawSchema.Additional.unsaid
    var isUnevaluated = false
    var conditional: [RawSchema.Part] = []
    var hasTypeCondition = false
    /// What the conditional schemas say of its own properties, values and elements.
    var conditions = Conditions()
    /// The first elements, named by their positions.
    var prefix: [Property] = []
    var applied = [Applicator: RawSchema.Part]()
    var items: RawSchema.Part? { applied[.items] }
    /// The members with a schema for the properties or elements that they do not list.
    var rests: [RawSchema] = []
    var unions: [Union] = []
    /// Its own. The ones of schemas that it extends select among the schemas that extend those.
    var discriminator: RawSchema.Discriminator?
    /// The values of each keyword in all members, those of the outer schemas first.
    var bounds = [Bound: [Node]]()
    @Indirect var annotations = Annotations()
    /// The type of the user, of a branch.
    var own: OwnType?
    /// Contradictions between members, with their positions.
    var conflicts: [(message: String, position: SourcePosition)] = []

    init(pointer: JSONPointer, position: SourcePosition) {
        self.pointer = pointer
        self.position = position
    }

    /// Adds the keywords of one member, except `$ref`, `allOf`, bounds and annotations.
    ///
    /// - Parameter isOwn: Whether the member is part of the schema, and not referenced.
    mutating func fold(_ raw: RawSchema, isOwn: Bool) {
        fold(types: raw.types, at: raw.position)
        if format == nil { format = raw.format }
        if let new = raw.values { fold(values: new, names: raw.valueNames, at: raw.position) }
        for property in raw.properties { fold(property) }
        for pattern in raw.patterns { fold(pattern) }
        conditional += raw.conditional
        if raw.hasTypeCondition { hasTypeCondition = true }
        for (offset, part) in raw.prefix.enumerated() {
            if offset == prefix.count {
                prefix.append(Property(name: String(offset), position: part.position, parts: [part]))
            } else if !prefix[offset].parts.contains(where: { $0.pointer == part.pointer }) {
                prefix[offset].parts.append(part)
            }
        }
        fold(required: raw.required)
        if raw.hasRest { rests.append(raw) }
        if raw.isUnevaluated { isUnevaluated = true }
        switch (additional, raw.additional) {
        case (.schema(let old), .schema(let new)):
            additional = .schema(both(old, new, of: "additionalProperties"))
        case (_, .unsaid), (.schema, .allowed), (.forbidden, .allowed): break
        // `additionalProperties: false` of one member would forbid the properties of the others.
        case (.schema, .forbidden), (.allowed, .forbidden): break
        default: additional = raw.additional
        }
        for (applicator, part) in raw.applied {
            applied[applicator] = applied[applicator].map { both($0, part, of: applicator.rawValue) } ?? part
        }
        if !raw.oneOf.isEmpty {
            unions.append(.init(parts: raw.oneOf, discriminator: raw.discriminator, position: raw.position))
        }
        if !raw.anyOf.isEmpty {
            unions.append(
                Union(
                    parts: raw.anyOf, discriminator: raw.discriminator, position: raw.position,
                    isAnyOf: true))
        }
        if isOwn { discriminator = raw.discriminator ?? discriminator }
    }

    /// The schema of the elements or values of two members: both apply.
    private func both(_ old: RawSchema.Part, _ new: RawSchema.Part, of keyword: String) -> RawSchema.Part {
        if old.node?.bool == false || new.node?.bool == true { return old }
        if old.node?.bool == true || new.node?.bool == false { return new }
        let known = old.node.map { [$0] } ?? old.schema?.allOf.compactMap(\.node) ?? []
        if let node = new.node, known.contains(where: { Node.areEqual($0.value, node.value) }) { return old }
        return RawSchema.Part(
            allOf: [old, new], at: pointer.appending("allOf").appending(keyword), position: old.position)
    }

    /// Adds the bounds of one member.
    mutating func fold(bounds new: [Bound: Node]) {
        for (bound, node) in new { bounds[bound, default: []].append(node) }
    }

    private mutating func fold(types new: RawSchema.Types, at position: SourcePosition) {
        guard !new.isEmpty else { return }
        if types.isEmpty {
            types = new
            return
        }
        var common = types.intersection(new)
        // Every integer is a number.
        if types.contains(.number), new.contains(.integer) { common.insert(.integer) }
        if types.contains(.integer), new.contains(.number) { common.insert(.integer) }
        if common.isEmpty {
            conflicts.append(("the schemas of \"allOf\" have no common \"type\"", position))
        }
        types = common.isEmpty ? types.union(new) : common
    }

    private mutating func fold(values new: [Node], names: [String], at position: SourcePosition) {
        guard let old = values else {
            values = new
            valueNames = names
            return
        }
        func key(_ literal: Node) -> LiteralKey { LiteralKey(literal.conformed(to: types) ?? literal) }
        let allowed = Set(new.map { key($0) })
        let common = old.filter { allowed.contains(key($0)) }
        if common.isEmpty {
            conflicts.append(("the schemas of \"allOf\" have no common \"enum\" value", position))
            return
        }
        if common.count < old.count { valueNames = [] }
        values = common
    }

    private mutating func fold(_ property: RawSchema.Property) {
        if let index = propertyIndex[property.name] {
            if !properties[index].parts.contains(where: { $0.pointer == property.schema.pointer }) {
                properties[index].parts.append(property.schema)
            }
        } else {
            propertyIndex[property.name] = properties.count
            properties.append(
                Property(name: property.name, position: property.position, parts: [property.schema]))
        }
    }

    private mutating func fold(_ pattern: RawSchema.Pattern) {
        guard let index = patterns.firstIndex(where: { $0.name.isSame(as: pattern.text) }) else {
            let position = pattern.schema.position
            return patterns.append(Property(name: pattern.text, position: position, parts: [pattern.schema]))
        }
        if !patterns[index].parts.contains(where: { $0.pointer == pattern.schema.pointer }) {
            patterns[index].parts.append(pattern.schema)
        }
    }

    /// Adds the schemas of patterns to the properties that match them.
    mutating func applyPatterns() {
        for pattern in patterns {
            guard let matcher = TextPattern(pattern.name) else { continue }
            for index in properties.indices {
                var work = TextPattern.work
                guard matcher.matches(properties[index].name, work: &work) == true else { continue }
                for part in pattern.parts
                where !properties[index].parts.contains(where: { $0.pointer == part.pointer }) {
                    properties[index].parts.append(part)
                }
            }
        }
    }

    /// Adds an optional property that only conditional schemas have.
    mutating func add(conditional name: String, _ parts: [RawSchema.Part]) {
        guard propertyIndex[name] == nil, let first = parts.first else { return }
        var part = first
        if parts.count > 1 {
            // The union and its branches have different places: a type is known by its place.
            let place = pointer.appending("properties").appending(name)
            var schema = RawSchema(pointer: place, position: first.position)
            schema.anyOf = parts.enumerated().map { offset, part in
                part.pointer.tokens.starts(with: pointer.tokens)
                    ? part.moved(to: place.appending("anyOf").appending(offset)) : part
            }
            part = RawSchema.Part(schema)
        }
        propertyIndex[name] = properties.count
        properties.append(Property(name: name, position: first.position, parts: [part]))
    }

    private mutating func fold(required new: [String]) {
        if required.isEmpty {
            required = new
            return
        }
        var known = Set(texts: required)
        for name in new where known.insert(name) { required.append(name) }
    }
}

extension ResolvedSchema {
    /// Whether it has schemas for the elements of an array or the values of a map, and nothing else.
    var hasElementsOrValues: Bool {
        let all: [RawSchema.Part?]
        switch types {
        case .array: all = prefix.flatMap(\.parts) + [items]
        case .object:
            guard case .schema(let part) = additional else { return false }
            all = [part]
        default: return false
        }
        return all.contains { part in
            part.map { $0.node.map { $0.members.isEmpty == false } ?? true } ?? false
        }
    }

    /// Its properties, elements and format as a schema of one type, or of any.
    func base(_ types: RawSchema.Types = [], at pointer: JSONPointer) -> RawSchema {
        var result = RawSchema(pointer: pointer, position: position)
        result.types = types
        result.properties = properties.map { property in
            var schema = property.parts[0]
            if property.parts.count > 1 {
                schema = RawSchema.Part(allOf: property.parts, at: pointer, position: property.position)
            }
            return RawSchema.Property(name: property.name, position: schema.position, schema: schema)
        }
        result.patterns = patterns.map { pattern in
            var schema = pattern.parts[0]
            if pattern.parts.count > 1 {
                schema = RawSchema.Part(allOf: pattern.parts, at: pointer, position: pattern.position)
            }
            return RawSchema.Pattern(text: pattern.name, schema: schema)
        }
        result.prefix = prefix.map { element in
            element.parts.count == 1
                ? element.parts[0]
                : RawSchema.Part(allOf: element.parts, at: pointer, position: element.position)
        }
        result.required = required
        if !conditions.isEmpty { result.conditional = conditional }
        result.hasTypeCondition = hasTypeCondition
        result.applied = applied
        result.format = format
        result.additional = additional
        result.isUnevaluated = isUnevaluated
        if case .schema(let part) = additional, let isAllowed = part.node?.bool {
            result.additional = isAllowed ? .allowed : .forbidden
        }
        return result.moved(to: pointer)
    }
}

/// A scalar of the document as a hashable value: type and text.
struct LiteralKey: Hashable {
    private let text: ExactText

    init(_ node: Node) {
        let text =
            switch node.value {
            case .null: "n"
            case .bool(let flag): flag ? "t" : "f"
            case .number(let number): "0" + number
            case .string(let string): "s" + string
            case .array, .object: "x\(node.position.line):\(node.position.column)"
            }
        self.text = ExactText(text)
    }
}
