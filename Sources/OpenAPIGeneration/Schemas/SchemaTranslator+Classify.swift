extension SchemaTranslator {
    /// The shape of a flat schema: by its enum, its unions, otherwise its type.
    func classify(_ flat: ResolvedSchema) -> Schema {
        var flat = flat
        var result = Schema(
            shape: .any, isNullable: flat.isNullable, annotations: flat.annotations, position: flat.position)
        for conflict in flat.conflicts {
            sink.warn(
                .conflictingSchema, "\(conflict.message); falling back to JSONValue", at: conflict.position)
        }
        guard flat.conflicts.isEmpty else { return result }
        if let values = flat.values {
            let literals = values.filter { !$0.isNull }
            if literals.count < values.count { result.isNullable = true }
            // Null alone: any value of the type that the keyword has is null.
            if literals.isEmpty, !values.isEmpty { return result }
            // The values have the type that the other keywords describe.
            let areCollections = literals.allSatisfy { literal in
                literal.isCollection && (flat.types.isEmpty || literal.conformed(to: flat.types) != nil)
            }
            if areCollections, !literals.isEmpty {
                flat.values = nil
                let isNullable = result.isNullable
                result = classify(flat)
                result.isNullable = result.isNullable || isNullable
                return result
            }
            if let only = literals.first, literals.count == 1 {
                if let plain = plainShape(of: only, flat) {
                    result.shape = plain
                    result.annotations.constant = only
                    return result
                }
            }
            result.shape = enumeration(literals, flat)
            return result
        }
        let unions = substantialUnions(flat, isNullable: &result.isNullable)
        flat.unions = unions
        if unions.count > 1 {
            sink.warn(
                .unsupportedSchema, "several \"oneOf\" or \"anyOf\" in one schema; falling back to JSONValue",
                at: flat.position)
            return result
        }
        if let union = unions.first {
            read(union, of: flat, into: &result)
        } else if let union = inheritedUnion(flat) {
            result.shape = declareUnion(flat, union)
        } else {
            result.shape = shape(ofTypes: flat)
        }
        return result
    }

    /// Whether a schema with a discriminator represents the schemas that extend it.
    func isBase(_ raw: RawSchema) -> Bool {
        // OpenAPI 3.0 ignores a discriminator next to `$ref`.
        guard raw.reference == nil || raw.discriminator != nil else { return false }
        if !inheritance.branches(of: raw.pointer).isEmpty { return true }
        if let own = raw.discriminator, !own.mapping.isEmpty, raw.oneOf.isEmpty, raw.anyOf.isEmpty {
            sink.warn(
                .ignoredKeyword, "no schema extends this one with \"allOf\"; \"discriminator\" is ignored",
                at: own.position)
        }
        return false
    }

    /// Whether a schema extends its only member, and is not just an alias of it.
    func isBranch(_ raw: RawSchema, of member: RawSchema.Part) -> Bool {
        guard let reference = reader.read(member)?.reference,
            let base = target(reference.text, at: member.position)
        else { return false }
        return inheritance.isBranch(raw.pointer, of: base.pointer)
    }

    /// The union of the schemas that extend a schema with a discriminator by `allOf`. The schema itself is a branch if
    /// the mapping contains it.
    private func inheritedUnion(_ flat: ResolvedSchema) -> ResolvedSchema.Union? {
        guard let discriminator = flat.discriminator else { return nil }
        let names = inheritance.branches(of: flat.pointer)
        guard !names.isEmpty else { return nil }
        let position = discriminator.position
        func reference(_ pointer: JSONPointer) -> RawSchema.Part {
            let place = flat.pointer.appending("discriminator").appending(pointer.tokens.last ?? "")
            var schema = RawSchema(pointer: place, position: position)
            schema.reference = .init(text: pointer.reference, position: position)
            return RawSchema.Part(schema)
        }
        var parts = names.map { reference(JSONPointer(tokens: ["components", "schemas", $0])) }
        let own = [flat.pointer.reference, flat.pointer.text, flat.pointer.tokens.last ?? ""]
        if discriminator.mapping.contains(where: { entry in own.contains { $0.isSame(as: entry.target) } }) {
            var plain = RawSchema(pointer: flat.pointer, position: position)
            plain.types = .object
            parts.append(
                RawSchema.Part(
                    allOf: [RawSchema.Part(plain), reference(flat.pointer)],
                    at: flat.pointer.appending("base"), position: position))
        }
        return .init(parts: parts, discriminator: discriminator, position: position)
    }

    /// The type of a schema that allows one value.
    private func plainShape(of value: Node, _ flat: ResolvedSchema) -> Schema.Shape? {
        switch value.value {
        case .string: .string(.plain)
        case .bool: .boolean
        case .number(let text): Int64(text) == nil ? number(of: [value], flat) : .integer(.signed)
        case .null, .array, .object: nil
        }
    }

    /// The unions that choose between shapes, without their null branches.
    func substantialUnions(_ flat: ResolvedSchema, isNullable: inout Bool) -> [ResolvedSchema.Union] {
        var result: [ResolvedSchema.Union] = []
        for var union in flat.unions {
            var parts: [RawSchema.Part] = []
            var allRestrict = true
            for part in union.parts {
                if part.isNull {
                    isNullable = true
                    continue
                }
                if let raw = reader.read(part), !raw.isRestriction { allRestrict = false }
                parts.append(part)
            }
            // Branches such as `required: [a]` only constrain properties; they have no shape.
            if parts.isEmpty || (allRestrict && (!flat.properties.isEmpty || !flat.types.isEmpty)) {
                continue
            }
            union.parts = parts
            result.append(union)
        }
        return result
    }

    private func read(_ union: ResolvedSchema.Union, of flat: ResolvedSchema, into result: inout Schema) {
        var union = union
        let hasMembers = !flat.properties.isEmpty || !flat.patterns.isEmpty
        if hasMembers || flat.hasElementsOrValues {
            guard let distributed = distribute(flat, over: union) else { return }
            union = distributed
        }
        if !hasMembers, union.parts.count == 1, let only = union.parts.first {
            var inner = schema(of: only)
            inner.isNullable = inner.isNullable || result.isNullable
            var annotations = flat.annotations
            if reader.read(only)?.reference == nil { annotations.fill(from: inner.annotations) }
            inner.annotations = annotations
            result = inner
            return
        }
        switch UnionIdiom.read(union, flat, translator: self) {
        case .any: break
        case .shape(let shape, let takesNull):
            result.shape = shape
            result.isNullable = result.isNullable || takesNull
        case .values(let values, let labels, let takesNull):
            result.isNullable = result.isNullable || takesNull
            result.shape = enumeration(values, flat, labels: labels)
        case .union(let takesNull):
            result.isNullable = result.isNullable || takesNull
            result.shape = declareUnion(flat, union)
        }
    }

    /// The branches, each merged with the siblings of the union. Nil, with a warning: they are branches of too many
    /// unions that extend each other. Why: each extends all branches of the next, so that types double by level.
    private func distribute(_ flat: ResolvedSchema, over union: ResolvedSchema.Union) -> ResolvedSchema.Union?
    {
        let base = RawSchema.Part(flat.base(at: flat.pointer))
        let place = flat.pointer.appending(union.isAnyOf ? "anyOf" : "oneOf")
        let depth = extensions[flat.pointer] ?? 0
        var result = union
        for (offset, part) in union.parts.enumerated() {
            var pointer = part.pointer
            // The branches of another schema have their own types there.
            if !pointer.tokens.starts(with: flat.pointer.tokens) {
                guard depth < TreeLimits.extensions else {
                    sink.warn(
                        .unsupportedSchema,
                        "more than \(depth) unions extend each other; falling back to JSONValue",
                        at: flat.position)
                    return nil
                }
                pointer = place.appending(offset)
                extensions[pointer] = depth + 1
            }
            result.parts[offset] = RawSchema.Part(allOf: [base, part], at: pointer, position: part.position)
        }
        return result
    }

    func enumeration(
        _ values: [Node], _ flat: ResolvedSchema, labels: [EnumerationDeclaration.Label] = []
    ) -> Schema.Shape {
        var labels = labels
        if labels.isEmpty {
            labels =
                flat.valueNames.count == values.count
                ? flat.valueNames.map { .init(name: $0, text: nil) }
                : values.map { _ in .init(name: nil, text: nil) }
        }
        if values.allSatisfy({ $0.bool != nil }), !values.isEmpty { return .boolean }
        var seen = Set<ExactText>()
        var strings: [String] = []
        var integers: [String] = []
        var kept: [EnumerationDeclaration.Label] = []
        var hasOther = values.isEmpty
        var hasFraction = false
        for (value, label) in zip(values, labels) {
            switch value.value {
            case .string(let text):
                guard seen.insert("s" + text) else { continue }
                strings.append(text)
                kept.append(label)
            case .number(let text):
                guard let integer = Int64(text) else {
                    hasFraction = true
                    continue
                }
                guard seen.insert(text) else { continue }
                integers.append(String(integer))
                kept.append(label)
            default: hasOther = true
            }
        }
        if !hasOther, strings.isEmpty, hasFraction { return number(of: values, flat) }
        if !hasOther, !hasFraction, strings.isEmpty || integers.isEmpty {
            return declareEnumeration(
                flat, .init(values: strings + integers, isInteger: !integers.isEmpty, labels: kept))
        }
        return mixedEnumeration(values, flat)
    }

    /// An enum with values of several types becomes a union of the types.
    private func mixedEnumeration(_ values: [Node], _ flat: ResolvedSchema) -> Schema.Shape {
        var groups: [(name: String, values: [Node])] = [
            ("string", []), ("integer", []), ("number", []), ("boolean", []),
        ]
        for value in values {
            switch value.value {
            case .string: groups[0].values.append(value)
            case .number(let text): groups[Int64(text) == nil ? 2 : 1].values.append(value)
            case .bool: groups[3].values.append(value)
            case .null, .array, .object:
                sink.warn(
                    .unsupportedSchema, "\"enum\" has values of several types; falling back to JSONValue",
                    at: flat.position)
                return .any
            }
        }
        guard !values.isEmpty else {
            sink.warn(.unsupportedSchema, "\"enum\" is empty; falling back to JSONValue", at: flat.position)
            return .any
        }
        let parts = groups.filter { !$0.values.isEmpty }.map { group in
            let place = flat.pointer.appending("type").appending(group.name)
            var schema = RawSchema(pointer: place, position: flat.position)
            schema.values = group.values
            return RawSchema.Part(schema)
        }
        return declareUnion(flat, .init(parts: parts, discriminator: nil, position: flat.position))
    }
}
