/// The JSON form of the values of a schema.
struct ValueShapes {
    let declarations: [JSONPointer: Declaration]

    /// The allowed values of a schema, as text.
    struct Values {
        let texts: [String]
        let isInteger: Bool
    }

    /// The object that a schema declares.
    func object(_ schema: Schema) -> ObjectDeclaration? {
        guard case .object(let object)? = declarations.kind(of: schema) else { return nil }
        return object
    }

    /// The allowed strings or integers of a schema, sorted. Nil if any value is allowed.
    func values(of schema: Schema) -> Values? {
        switch schema.annotations.constant?.value {
        case .string(let text): return Values(texts: [text], isInteger: false)
        case .number(let text) where schema.shape.isInteger: return Values(texts: [text], isInteger: true)
        default: break
        }
        guard case .enumeration(let enumeration)? = declarations.kind(of: schema) else { return nil }
        return Values(texts: enumeration.sorted, isInteger: enumeration.isInteger)
    }

    /// Whether a schema's values are integers.
    func isInteger(_ schema: Schema) -> Bool {
        schema.shape.isInteger || values(of: schema)?.isInteger == true
    }

    /// The order in which branches of the same JSON type are tried: the strictest first. Nil for a branch that accepts
    /// all values of the type.
    func strictness(of schema: Schema, _ kind: JSONKind) -> Int? {
        switch schema.shape {
        case .string(let format): return format.traits.strictness
        case .integer: return 0
        case .number, .boolean, .any: return nil
        case .array(let item): return kinds(of: item) == nil ? nil : 0
        case .map: return 0
        case .declared:
            if case .enumeration? = declarations.kind(of: schema) { return 0 }
            return nil
        }
    }

    /// The JSON types of the values. Nil: all types.
    func kinds(of schema: Schema) -> Set<JSONKind>? {
        var path: Set<JSONPointer> = []
        return kinds(of: schema, path: &path)
    }

    private func kinds(of schema: Schema, path: inout Set<JSONPointer>) -> Set<JSONKind>? {
        guard let pointer = schema.shape.target else { return schema.shape.kind.map { [$0] } }
        switch declarations[pointer]?.kind {
        case .object: return [.object]
        case .enumeration(let enumeration): return [enumeration.isInteger ? .number : .string]
        case .union(let union):
            guard path.insert(pointer).inserted else { return [] }
            var result: Set<JSONKind> = []
            for branch in union.branches {
                guard let kinds = kinds(of: branch.schema, path: &path) else { return nil }
                result.formUnion(kinds)
            }
            return result
        case .opaque, nil: return nil
        }
    }
}
