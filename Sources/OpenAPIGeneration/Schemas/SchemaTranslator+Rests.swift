import GatewayPatterns

extension RawSchema {
    /// Whether it has a schema for all properties or elements that it does not list.
    var hasRest: Bool { !isUnevaluated && (rest != nil || applied[.items] != nil) }

    /// The schema of additional properties.
    fileprivate var rest: Part? {
        if case .schema(let part) = additional { return part }
        return nil
    }

    /// Whether the schema of additional properties does not apply to a property.
    fileprivate func lists(_ name: String) -> Bool {
        properties.contains { $0.name.isSame(as: name) }
            || patterns.contains { pattern in
                var work = TextPattern.work
                return TextPattern(pattern.text)?.matches(name, work: &work) != false
            }
    }
}

/// `additionalProperties` and `items` apply to what other members of `allOf` list (JSON Schema 2020-12, Core, section
/// 10.3).
extension SchemaTranslator {
    /// Adds the schema for the rest of each member to the properties and elements that only other members list. Why only
    /// objects and arrays: documents have such schemas that contradict those of scalar properties.
    func withRests(_ flat: ResolvedSchema) -> ResolvedSchema {
        guard !flat.rests.isEmpty, !flat.folded.isEmpty || !flat.conditional.isEmpty else { return flat }
        var result = flat
        for member in flat.rests {
            if let rest = member.rest {
                for index in flat.properties.indices where !member.lists(flat.properties[index].name) {
                    add(rest, to: &result.properties[index])
                }
                for index in flat.patterns.indices
                where !member.patterns.contains(where: { $0.text.isSame(as: flat.patterns[index].name) }) {
                    add(rest, to: &result.patterns[index])
                }
            }
            if let items = member.applied[.items] {
                for index in flat.prefix.indices.dropFirst(member.prefix.count) {
                    add(items, to: &result.prefix[index])
                }
            }
        }
        return result
    }

    @inline(never)
    private func add(_ rest: RawSchema.Part, to property: inout ResolvedSchema.Property) {
        guard !property.parts.contains(where: { $0.pointer == rest.pointer }) else { return }
        let known = property.parts.reduce(into: RawSchema.Types()) { $0.formUnion(containers($1)) }
        if !known.isDisjoint(with: containers(rest)) { property.parts.append(rest) }
    }

    /// The types of objects and arrays that a schema describes.
    @inline(never)
    private func containers(_ part: RawSchema.Part) -> RawSchema.Types {
        guard let flat = resolved(part) else { return [] }
        let types = flat.types.isEmpty ? impliedTypes(flat) : flat.types
        return types.intersection([.object, .array])
    }
}
