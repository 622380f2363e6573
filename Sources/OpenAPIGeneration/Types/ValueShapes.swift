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
        guard case .object(let object)? = declarations.kind(of: schema.documented) else { return nil }
        return object
    }

    /// The allowed strings or integers of a schema, sorted. Nil if any value is allowed.
    func values(of schema: Schema) -> Values? {
        switch schema.annotations.constant?.value {
        case .string(let text): return Values(texts: [text], isInteger: false)
        case .number(let text) where schema.shape.documented.isInteger:
            return Values(texts: [text], isInteger: true)
        default: break
        }
        guard case .enumeration(let enumeration)? = declarations.kind(of: schema.documented) else {
            return nil
        }
        return Values(texts: enumeration.sorted, isInteger: enumeration.isInteger)
    }

    /// Whether a schema's values are integers.
    func isInteger(_ schema: Schema) -> Bool {
        schema.shape.documented.isInteger || values(of: schema)?.isInteger == true
    }

    /// The order in which scalar branches of the same JSON type are tried: the strictest first. Nil for a branch that
    /// accepts all values of the type.
    func strictness(of schema: Schema) -> Int? {
        switch schema.shape {
        case .string(let format): return format.traits.strictness
        case .integer: return 0
        case .number, .boolean, .any, .array, .map: return nil
        case .declared:
            if case .enumeration? = declarations.kind(of: schema) { return 0 }
            return nil
        // A type of the user can refuse values of its documented shape.
        case .own: return strictness(of: schema.documented) ?? 7
        }
    }

    /// The order of branches that a value fits equally well: the strictest first. An object is the stricter, the more
    /// properties it requires.
    func rank(of schema: Schema) -> Int {
        let (scalar, object, map, union, any) = (10, 100, 200, 100_000, 1_000_000)
        switch schema.shape {
        case .any: return any
        case .boolean, .string, .integer, .number: return strictness(of: schema) ?? scalar
        case .array(let items): return rank(of: items) - 1
        case .map(let values): return map + rank(of: values)
        case .declared:
            switch declarations.kind(of: schema) {
            case .enumeration?: return 0
            case .object(let own)?: return object - min(own.properties.filter(\.isRequired).count, object)
            case .tuple?: return scalar
            case .union?: return union
            case .opaque?, nil: return any
            }
        case .own: return rank(of: schema.documented)
        }
    }

    /// The property with different constants in each of these branches, as a discriminator.
    ///
    /// - Returns: It decides only if all the branches require it and none allows null.
    func constants(
        _ union: UnionDeclaration, _ branches: [Int]
    ) -> (discriminator: UnionPlan.Discriminator, decide: Bool)? {
        guard let first = branches.first.flatMap({ object(union.branches[$0].schema) }) else { return nil }
        var undecided: UnionPlan.Discriminator?
        let candidates = first.properties.filter { values(of: $0.schema) != nil }
        for candidate in candidates.map(\.name).sorted() {
            guard let (own, decide) = constants(candidate, union, branches) else { continue }
            if decide { return (own, true) }
            undecided = undecided ?? own
        }
        return undecided.map { (discriminator: $0, decide: false) }
    }

    private func constants(
        _ name: String, _ union: UnionDeclaration, _ branches: [Int]
    ) -> (discriminator: UnionPlan.Discriminator, decide: Bool)? {
        var cases: [(values: [String], branch: Int)] = []
        var seen = Set<ExactText>()
        var isInteger: Bool?
        var decide = true
        for branch in branches {
            let property = object(union.branches[branch].schema)?.properties.first {
                $0.name.isSame(as: name)
            }
            guard let property, let own = values(of: property.schema), !own.texts.isEmpty,
                isInteger ?? own.isInteger == own.isInteger, seen.isDisjoint(with: Set(texts: own.texts))
            else { return nil }
            isInteger = own.isInteger
            seen.formUnion(Set(texts: own.texts))
            cases.append((own.texts, branch))
            if !property.isRequired || property.schema.isNullable { decide = false }
        }
        let discriminator = UnionPlan.Discriminator(
            property: name, isInteger: isInteger ?? false, cases: cases)
        return (discriminator, decide)
    }

    /// The JSON types of the values. Nil: all types.
    func kinds(of schema: Schema) -> Set<JSONKind>? {
        var result = Set<JSONKind>()
        var seen = Set<JSONPointer>()
        var waiting = [schema]
        while let schema = waiting.popLast()?.documented {
            guard let pointer = schema.shape.target else {
                guard let kind = schema.shape.kind else { return nil }
                result.insert(kind)
                continue
            }
            switch declarations[pointer]?.kind {
            case .object: result.insert(.object)
            case .tuple: result.insert(.array)
            case .enumeration(let enumeration): result.insert(enumeration.isInteger ? .number : .string)
            case .union(let union):
                if seen.insert(pointer).inserted { waiting += union.branches.map(\.schema) }
            case .opaque, nil: return nil
            }
        }
        return result
    }
}
