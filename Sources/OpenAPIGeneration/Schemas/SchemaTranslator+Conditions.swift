extension ResolvedSchema {
    /// What conditional schemas say of properties, values and elements.
    struct Conditions {
        var properties = [ExactText: [RawSchema.Part]]()
        /// The schemas of additional properties.
        var values: [RawSchema.Part] = []
        var items: [RawSchema.Part] = []
        var prefix = [Int: [RawSchema.Part]]()
        /// Whether there are schemas of properties that are not listed.
        var hasRest = false
        /// Whether one of them applies to values that are no objects.
        var hasOtherTypes = false

        var isEmpty: Bool { properties.isEmpty && values.isEmpty && items.isEmpty && prefix.isEmpty }

        func elements(at position: Int) -> [RawSchema.Part] { (prefix[position] ?? []) + items }
    }
}

/// The schemas of `then`, `else` and `dependentSchemas`: a value can have what they describe.
extension SchemaTranslator {
    /// Adds the properties of conditional schemas that the schema itself does not have. What they say of the others is
    /// read when the type is completed: it can refer to the schema itself.
    func addConditional(to flat: inout ResolvedSchema) {
        guard !flat.conditional.isEmpty else { return }
        var found = ResolvedSchema.Conditions()
        for part in flat.conditional { collect(part, &found) }
        // Without a type of its own, the schema has the types of all of them.
        if flat.types.isEmpty, impliedTypes(flat).isEmpty, flat.hasTypeCondition || found.hasOtherTypes {
            return
        }
        for (name, parts) in found.properties.sorted(by: { $0.key < $1.key })
        where flat.propertyIndex[name] == nil {
            flat.add(conditional: name.text, parts)
            found.properties[name] = nil
        }
        if found.hasRest, !flat.properties.isEmpty, flat.additional.isUnsaid { flat.additional = .allowed }
        flat.conditions = found
    }

    private func collect(_ part: RawSchema.Part, _ found: inout ResolvedSchema.Conditions) {
        guard conditions.insert(part.pointer).inserted else { return }
        defer { conditions.remove(part.pointer) }
        guard isWithinLimits(conditions.count, at: part), let flat = resolved(part) else { return }
        let types = flat.types.isEmpty ? impliedTypes(flat) : flat.types
        if !types.isEmpty, !types.contains(.object) { found.hasOtherTypes = true }
        for property in flat.properties {
            let own =
                property.parts.count == 1
                ? property.parts[0]
                : RawSchema.Part(
                    allOf: property.parts, at: part.pointer.appending("properties").appending(property.name),
                    position: property.position)
            let isKnown = (found.properties[property.name] ?? []).contains {
                $0.pointer == own.pointer || $0.node != nil && Node.areEqual($0.node?.value, own.node?.value)
            }
            if !isKnown { found.properties[property.name, default: []].append(own) }
        }
        for (position, element) in flat.prefix.enumerated() {
            found.prefix[position, default: []] += element.parts
        }
        if let items = flat.items { found.items.append(items) }
        if case .schema(let values) = flat.additional { found.values.append(values) }
        if !flat.patterns.isEmpty || !found.values.isEmpty { found.hasRest = true }
        for part in flat.unions.flatMap(\.parts) { collect(part, &found) }
    }

    func refined(values part: RawSchema.Part, of flat: ResolvedSchema) -> RawSchema.Part {
        let place = flat.pointer.appending("allOf").appending("additionalProperties")
        return refined(part, by: flat.conditions.values, at: place)
    }

    func refined(items part: RawSchema.Part, of flat: ResolvedSchema) -> RawSchema.Part {
        refined(part, by: flat.conditions.items, at: flat.pointer.appending("allOf").appending("items"))
    }

    /// A schema with the properties that conditional schemas add to it. The same schema if they only restrict it.
    func refined(
        _ part: RawSchema.Part, by conditional: [RawSchema.Part]?, at place: JSONPointer
    ) -> RawSchema.Part {
        guard let conditional, !conditional.isEmpty, let own = resolved(part) else { return part }
        var seen = Set<[JSONPointer]>()
        guard conditional.contains(where: { adds($0, to: own, &seen) }) else { return part }
        var schema = RawSchema(pointer: place, position: part.position)
        if let raw = reader.read(part) {
            (schema.title, schema.text, schema.defaultValue) = (raw.title, raw.text, raw.defaultValue)
            (schema.isDeprecated, schema.isReadOnly) = (raw.isDeprecated, raw.isReadOnly)
            schema.isWriteOnly = raw.isWriteOnly
        }
        schema.allOf = [part]
        schema.conditional = conditional
        return RawSchema.Part(schema.moved(to: place))
    }

    /// Whether a schema describes properties that objects of another one would lose.
    private func adds(
        _ part: RawSchema.Part, to own: ResolvedSchema, _ seen: inout Set<[JSONPointer]>
    ) -> Bool {
        guard seen.count < 1_000, seen.insert([part.pointer, own.pointer]).inserted,
            let new = resolved(part)
        else { return false }
        for branch in own.unions.flatMap(\.parts) {
            if let branch = resolved(branch), adds(part, to: branch, &seen) { return true }
        }
        for branch in new.unions.flatMap(\.parts) where adds(branch, to: own, &seen) { return true }
        var pairs = zip(new.prefix, own.prefix).map { ($0.parts, $1.parts) }
        if let old = own.items, let items = new.items { pairs.append(([items], [old])) }
        if let items = new.items { pairs += own.prefix.map { ([items], $0.parts) } }
        if case .schema(let old) = own.additional {
            if case .schema(let values) = new.additional { pairs.append(([values], [old])) }
            pairs += new.properties.map { ($0.parts, [old]) }
        }
        if !own.properties.isEmpty {
            for property in new.properties {
                if let index = own.propertyIndex[property.name] {
                    pairs.append((property.parts, own.properties[index].parts))
                } else if own.additional.isUnsaid {
                    return true
                }
            }
            if own.additional.isUnsaid, new.hasRest { return true }
        }
        for (parts, known) in pairs {
            let whole =
                known.count == 1
                ? known[0] : RawSchema.Part(allOf: known, at: own.pointer, position: own.position)
            guard let whole = resolved(whole) else { continue }
            for part in parts where adds(part, to: whole, &seen) { return true }
        }
        return false
    }
}

extension ResolvedSchema {
    /// Whether it has schemas of properties that it does not list.
    fileprivate var hasRest: Bool {
        if case .schema = additional { return true }
        return !patterns.isEmpty
    }
}
