extension SchemaTranslator {
    /// The schema with the type of the user for its values.
    ///
    /// A scalar that is only restricted further keeps the type. A schema that adds properties to an object does not: its
    /// properties are those of the document.
    func owned(_ schema: Schema, _ part: RawSchema.Part) -> Schema {
        guard !reader.ownTypes.isEmpty, let raw = reader.read(part) else { return schema }
        guard let own = raw.own ?? (isScalar(schema) ? ownType(of: part) : nil) else { return schema }
        var result = schema
        result.shape = .own(own, schema.shape.documented)
        return result
    }

    private func isScalar(_ schema: Schema) -> Bool {
        guard schema.shape.own == nil else { return false }
        if case .enumeration? = declarations.kind(of: schema) { return true }
        return schema.shape.isPrimitive
    }

    /// The type of the user for a schema, or for one that it refers to or restricts.
    func ownType(of part: RawSchema.Part) -> OwnType? {
        guard !reader.ownTypes.isEmpty else { return nil }
        var seen = Set<JSONPointer>()
        return ownType(of: part, depth: 0, &seen)
    }

    private func ownType(of part: RawSchema.Part, depth: Int, _ seen: inout Set<JSONPointer>) -> OwnType? {
        guard depth < 16, seen.insert(part.pointer).inserted, let raw = reader.read(part) else { return nil }
        if let own = raw.own { return own }
        var members = raw.allOf
        if let reference = raw.reference, let target = target(reference.text, at: reference.position) {
            members.insert(target, at: 0)
        }
        for member in members {
            if let own = ownType(of: member, depth: depth + 1, &seen) { return own }
        }
        return nil
    }
}
