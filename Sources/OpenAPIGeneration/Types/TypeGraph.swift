/// The dependencies between declared types.
struct TypeGraph {
    let declarations: [JSONPointer: Declaration]

    /// The schemas that a declared type contains.
    func parts(of pointer: JSONPointer) -> [Schema] {
        switch declarations[pointer]?.kind {
        case .object(let object), .tuple(let object):
            var parts = object.properties.map(\.schema)
            parts += object.patterns.map(\.schema)
            if let additional = object.additional { parts.append(additional) }
            return parts
        case .union(let union): return union.branches.map(\.schema)
        case .enumeration, .opaque, nil: return []
        }
    }

    /// The declared type of a schema, also inside arrays and maps.
    static func target(_ schema: Schema) -> JSONPointer? {
        schema.shape.target ?? schema.shape.inner.flatMap { target($0) }
    }

    /// All types that `roots` depend on, including themselves.
    func reach(_ roots: [Schema]) -> Set<JSONPointer> {
        var result = Set<JSONPointer>()
        var waiting = roots.compactMap { Self.target($0) }
        while let next = waiting.popLast() {
            guard result.insert(next).inserted else { continue }
            waiting += parts(of: next).compactMap { Self.target($0) }
        }
        return result
    }
}
