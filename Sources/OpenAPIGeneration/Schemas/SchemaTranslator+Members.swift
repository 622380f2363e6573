/// Members of objects and elements of tuples.
extension SchemaTranslator {
    /// The members of an object.
    func members(of flat: ResolvedSchema) -> ObjectDeclaration {
        let flat = withRests(flat)
        var properties: [ObjectDeclaration.Property] = []
        let required = Set(texts: flat.required)
        var order = [ExactText: Int]()
        for (offset, name) in flat.required.enumerated() where order[name] == nil { order[name] = offset }
        let sorted = flat.properties.sorted { left, right in
            switch (order[left.name], order[right.name]) {
            case (let first?, let second?): first < second
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): ExactText(left.name) < ExactText(right.name)
            }
        }
        for property in sorted {
            properties.append(
                ObjectDeclaration.Property(
                    name: property.name, isRequired: required.contains(property.name),
                    schema: schema(
                        of: refined(
                            conjunction(property, in: flat), by: flat.conditions.properties[property.name],
                            at: flat.pointer.appending("allOf").appending("properties").appending(
                                property.name))),
                    position: property.position))
        }
        if flat.additional.isUnsaid {
            // A required name without a property schema can have any value. It is optional, because documents list
            // names that servers do not send.
            for name in Set(order.keys).subtracting(flat.properties.map { ExactText($0.name) }).texts {
                properties.append(
                    ObjectDeclaration.Property(
                        name: name, isRequired: false, schema: .any(at: flat.position),
                        position: flat.position))
            }
        }
        var object = ObjectDeclaration(properties: properties)
        switch flat.additional {
        case .unsaid: break
        case .forbidden: object.unknown = .forbidden
        case .allowed: object.additional = .any(at: flat.position)
        case .schema(let part): object.additional = schema(of: refined(values: part, of: flat))
        }
        object.patterns = patterns(of: flat)
        return object
    }

    /// The elements of a tuple. Those from `minItems` on are optional.
    func elements(of flat: ResolvedSchema) -> ObjectDeclaration {
        let flat = withRests(flat)
        func counts(_ bound: Bound) -> [Int] {
            (flat.bounds[bound] ?? []).compactMap { LiteralKey.text(of: $0).flatMap { Int($0) } }
        }
        let least = counts(.minItems).max() ?? 0
        var tuple = ObjectDeclaration(
            properties: flat.prefix.enumerated().map { offset, element in
                ObjectDeclaration.Property(
                    name: element.name, isRequired: offset < least,
                    schema: schema(
                        of: refined(
                            conjunction(element, in: flat), by: flat.conditions.elements(at: offset),
                            at: flat.pointer.appending("allOf").appending("prefixItems").appending(offset))),
                    position: element.position)
            })
        if let most = counts(.maxItems).min(), most <= flat.prefix.count {
        } else if let items = flat.items {
            if items.node?.bool != false { tuple.additional = schema(of: refined(items: items, of: flat)) }
        } else {
            tuple.additional = .any(at: flat.position)
        }
        return tuple
    }

    /// The schemas of patterns. Patterns with equal schemas are one.
    private func patterns(of flat: ResolvedSchema) -> [ObjectDeclaration.Pattern] {
        var result: [ObjectDeclaration.Pattern] = []
        var nodes: [Node?] = []
        for pattern in flat.patterns.sorted(by: { $0.name < $1.name }) {
            let node = pattern.parts.count == 1 ? pattern.parts[0].node : nil
            if let node, let same = nodes.firstIndex(where: { Node.areEqual($0?.value, node.value) }) {
                result[same].texts.append(pattern.name)
                continue
            }
            let place = flat.pointer.appending("allOf").appending("patternProperties")
            let part =
                pattern.parts.count == 1
                ? pattern.parts[0]
                : RawSchema.Part(
                    allOf: pattern.parts, at: place.appending(pattern.name), position: pattern.position)
            result.append(.init(texts: [pattern.name], schema: schema(of: part)))
            nodes.append(node)
        }
        // A name that matches several patterns has the type of the first. Its number can be an integer of another.
        let integers = result.filter { $0.schema.shape.isInteger }
        for (index, pattern) in result.enumerated()
        where pattern.schema.shape.isNumber && pattern.schema.shape.format != "decimal"
            && integers.contains(where: { $0.overlaps(pattern) })
        {
            result[index].schema.shape = .number(.exact)
        }
        return result
    }

    /// One schema for all schemas of a property in the members of an object.
    private func conjunction(_ property: ResolvedSchema.Property, in flat: ResolvedSchema) -> RawSchema.Part {
        guard property.parts.count > 1 else { return property.parts[0] }
        var parts: [RawSchema.Part] = []
        var references = Set<ExactText>()
        for part in property.parts {
            guard let raw = reader.read(part) else { continue }
            if let reference = raw.reference, !raw.hasAssertions {
                guard references.insert(reference.text) else { continue }
            } else if raw.reference == nil, !raw.hasAssertions {
                continue
            }
            parts.append(part)
        }
        guard parts.count > 1 else { return parts.first ?? property.parts[0] }
        return RawSchema.Part(
            allOf: parts,
            at: flat.pointer.appending("allOf").appending("properties").appending(property.name),
            position: property.position)
    }
}
