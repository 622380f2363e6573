/// Decides which schemas can be sent as form fields from their JSON: objects without files.
struct FormFields {
    let declarations: [JSONPointer: Declaration]

    /// Whether a schema is such an object.
    func fit(_ schema: Schema) -> Bool {
        var path = Set<JSONPointer>()
        return fit(schema, &path)
    }

    /// Whether a schema is a map with documented values.
    func isTypedMap(_ schema: Schema) -> Bool {
        guard let values = schema.shape.values else { return false }
        if case .any = values.shape { return false }
        return true
    }

    /// Whether a schema is a file, several, or a union with one.
    func isFile(_ schema: Schema) -> Bool {
        var path = Set<JSONPointer>()
        return holdsFile(schema, &path)
    }

    private func fit(_ schema: Schema, _ path: inout Set<JSONPointer>) -> Bool {
        let schema = schema.documented
        if let value = schema.shape.values { return !holdsFile(value, &path) }
        guard let pointer = schema.shape.target else { return false }
        guard path.insert(pointer).inserted else { return true }
        switch declarations[pointer]?.kind {
        case .object(let object): return !object.properties.contains { holdsFile($0.schema, &path) }
        case .union(let union): return union.branches.allSatisfy { fit($0.schema, &path) }
        case .tuple, .enumeration, .opaque, nil: return false
        }
    }

    private func holdsFile(_ schema: Schema, _ path: inout Set<JSONPointer>) -> Bool {
        if case .string(.binary) = schema.shape { return true }
        if let item = schema.shape.items { return holdsFile(item, &path) }
        guard let pointer = schema.shape.target, path.insert(pointer).inserted,
            case .union(let union)? = declarations[pointer]?.kind
        else { return false }
        return union.branches.contains { holdsFile($0.schema, &path) }
    }
}
