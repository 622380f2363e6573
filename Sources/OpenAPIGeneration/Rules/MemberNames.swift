import GatewayPatterns

/// The names that several schemas of the same value give its members.
struct MemberNames {
    var declared = Set<ExactText>()
    /// Those that only responses have.
    var readOnly = Set<ExactText>()
    /// Those that a value must have.
    var required = Set<ExactText>()
    /// Patterns of names.
    var patterns = Set<ExactText>()
    /// Whether one of the schemas in the first one describes all other members, or may do so.
    var hasOthers = false

    /// What the schemas around say of some names.
    init(_ names: Set<ExactText>, of outer: MemberNames) {
        declared = names
        readOnly = names.intersection(outer.readOnly)
    }

    /// Collects the names that a schema and the schemas in it that apply to the same value have.
    ///
    /// - Parameter target: The target of the `$ref` of a part.
    init(
        _ part: RawSchema.Part, reader: RawSchemaReader, target: (RawSchema.Part) -> RawSchema.Part?
    ) {
        var seen: Set<JSONPointer> = [part.pointer]
        var stack = [part]
        while let next = stack.popLast() {
            guard let raw = reader.read(next) else { continue }
            required.formUnion(raw.required.map { ExactText($0) })
            declared.formUnion(raw.properties.map { ExactText($0.name) })
            for property in raw.properties {
                let schemas = [property.schema, target(property.schema)].compactMap { $0?.node }
                guard schemas.contains(where: { $0["readOnly"]?.bool == true }) else { continue }
                readOnly.insert(ExactText(property.name))
            }
            patterns.formUnion(raw.patterns.map { ExactText($0.text) })
            if next.node?["patternProperties"]?.members.count ?? 0 > raw.patterns.count { hasOthers = true }
            let rest = ["additionalProperties", "unevaluatedProperties"].compactMap { next.node?[$0] }
            if next.pointer != part.pointer, rest.contains(where: { $0.bool != false }) { hasOthers = true }
            let inner =
                raw.allOf + raw.oneOf + raw.anyOf + Self.conditions(next)
                + (raw.reference == nil ? [] : [target(next)].compactMap { $0 })
            for part in inner where seen.insert(part.pointer).inserted { stack.append(part) }
        }
    }

    /// These names and those of the schemas around.
    func union(_ outer: MemberNames) -> MemberNames {
        var result = self
        result.declared.formUnion(outer.declared)
        result.readOnly.formUnion(outer.readOnly)
        return result
    }

    private static func conditions(_ part: RawSchema.Part) -> [RawSchema.Part] {
        guard let node = part.node else { return [] }
        let plain = ["if", "then", "else"].compactMap { keyword in
            node[keyword].map { RawSchema.Part(node: $0, pointer: part.pointer.appending(keyword)) }
        }
        let place = part.pointer.appending("dependentSchemas")
        return plain
            + (node["dependentSchemas"]?.members ?? []).map {
                RawSchema.Part(node: $0.value, pointer: place.appending($0.key))
            }
    }
}
