/// Reads the branches of a union and its discriminator.
struct UnionReader {
    let translator: SchemaTranslator

    func read(_ union: ResolvedSchema.Union) -> UnionDeclaration {
        var branches: [UnionDeclaration.Branch] = []
        var parts: [RawSchema.Part] = []
        var seen = Set<[JSONPointer]>()
        let schemas = union.parts.map { translator.schema(of: $0) }
        let hasNumber = schemas.contains { $0.shape.isNumber }
        let hasInteger = schemas.contains { schema in
            if case .enumeration(let own)? = translator.declarations.kind(of: schema) { return own.isInteger }
            return schema.shape.isInteger
        }
        for (part, var schema) in zip(union.parts, schemas) {
            // Every integer is a number; JSON does not distinguish them.
            if hasNumber, schema.shape.isInteger { continue }
            if hasInteger, schema.shape.isNumber, schema.shape.format != "decimal" {
                schema.shape = .number(.exact)
            }
            if let type = schema.shape.target {
                // The value of a discriminator tells aliases of one schema apart; nothing else does.
                let alias = union.discriminator == nil ? nil : targetPointer(part)
                guard seen.insert([type, alias ?? type]).inserted else { continue }
            }
            branches.append(
                UnionDeclaration.Branch(schema: schema, label: label(part), position: part.position))
            parts.append(part)
        }
        var declaration = UnionDeclaration(
            branches: branches, discriminator: nil, isAnyOf: union.isAnyOf)
        if let discriminator = union.discriminator {
            declaration.discriminator = read(discriminator, parts, branches)
        }
        return declaration
    }

    private func label(_ part: RawSchema.Part) -> String? {
        guard let raw = translator.reader.read(part) else { return nil }
        let last = raw.allOf.count <= 2 ? raw.allOf.last : nil
        if let reference = raw.reference ?? last.flatMap({ translator.reader.read($0)?.reference }) {
            return translator.target(reference.text, at: part.position)?.pointer.tokens.last
        }
        return raw.title
    }

    private func read(
        _ raw: RawSchema.Discriminator, _ parts: [RawSchema.Part], _ branches: [UnionDeclaration.Branch]
    ) -> UnionDeclaration.Discriminator? {
        var values = [ExactText: Int]()
        var mapped = Set<Int>()
        var keys = [Int: [String]]()
        let targets = parts.map { targetPointer($0) }
        for entry in raw.mapping {
            let wanted = mappingTarget(entry.target, at: entry.position)
            guard let wanted, let branch = targets.firstIndex(of: wanted) ?? aliased(wanted, branches) else {
                translator.sink.warn(
                    .structure, "\"\(entry.target)\" is not a branch of this union", at: entry.position)
                continue
            }
            values[entry.value] = branch
            mapped.insert(branch)
            keys[branch, default: []].append(entry.value)
        }
        for (branch, part) in parts.enumerated() where !mapped.contains(branch) {
            var own = constants(raw.property, of: part)
            let name = targets[branch]?.tokens.last
            if let name, own.contains(where: { $0.isSame(as: name) }), isAlias(branch, in: branches) {
                own = [name]
            }
            if mapped.isEmpty, own.contains(where: { values[$0] != nil }) {
                translator.sink.warn(
                    .ambiguousUnion,
                    "branches have the same \"discriminator\" value; they are distinguished by their shape",
                    at: raw.position)
                return nil
            }
            if own.isEmpty, let name { own = [name] }
            for value in own where values[value] == nil { values[value] = branch }
        }
        let fallback = raw.defaultTarget.flatMap { mappingTarget($0, at: raw.position) }
            .flatMap { wanted in targets.firstIndex(of: wanted) ?? aliased(wanted, branches) }
        guard !values.isEmpty else {
            translator.sink.warn(
                .ambiguousUnion,
                "\"discriminator\" maps to no branch; branches are distinguished by their shape",
                at: raw.position)
            return nil
        }
        return UnionDeclaration.Discriminator(
            property: raw.property,
            values: values.sorted { $0.key < $1.key }.map { (value: $0.key.text, branch: $0.value) },
            fallback: fallback, keys: keys.compactMapValues { $0.count == 1 ? $0[0] : nil })
    }

    /// The first branch whose type is the one at a place.
    private func aliased(_ place: JSONPointer, _ branches: [UnionDeclaration.Branch]) -> Int? {
        branches.firstIndex { $0.schema.shape.target == place }
    }

    /// Whether another branch has the same type.
    private func isAlias(_ branch: Int, in branches: [UnionDeclaration.Branch]) -> Bool {
        guard let type = branches[branch].schema.shape.target else { return false }
        return branches.filter { $0.schema.shape.target == type }.count > 1
    }

    /// The component that a branch refers to.
    private func targetPointer(_ part: RawSchema.Part) -> JSONPointer? {
        guard let raw = translator.reader.read(part) else { return nil }
        for part in [part] + raw.allOf.reversed() {
            if let reference = translator.reader.read(part)?.reference {
                return translator.target(reference.text, at: part.position)?.pointer
            }
        }
        return nil
    }

    /// The target of a mapping: a reference or, by the specification, a component name.
    private func mappingTarget(_ target: String, at position: SourcePosition) -> JSONPointer? {
        guard target.utf8.first != UInt8(ascii: "#") else {
            return translator.target(target, at: position)?.pointer
        }
        return JSONPointer(tokens: ["components", "schemas", target])
    }

    /// The values that a branch allows for the property. For a branch that is a union: the values that its branches
    /// allow.
    private func constants(_ property: String, of part: RawSchema.Part) -> [String] {
        var result: [String] = []
        var seen = Set<JSONPointer>()
        var parts = [part]
        for _ in 0..<8 {
            var inner: [RawSchema.Part] = []
            for part in parts where seen.insert(part.pointer).inserted {
                guard let flat = translator.resolved(part) else { continue }
                if let index = flat.propertyIndex[property] {
                    result += values(of: flat.properties[index])
                } else {
                    inner += flat.unions.flatMap(\.parts)
                }
            }
            parts = inner
        }
        return result
    }

    /// A branch can restrict the values of its base: a value must be allowed by all its schemas.
    private func values(of property: ResolvedSchema.Property) -> [String] {
        var result: [String] = []
        for own in property.parts.map({ values(of: $0) }) where !own.isEmpty {
            result = result.isEmpty ? own : result.filter { value in own.contains { $0.isSame(as: value) } }
        }
        return result
    }

    /// The strings or integers of an enum, which may be in a union with `null`.
    private func values(of part: RawSchema.Part) -> [String] {
        guard let flat = translator.resolved(part) else { return [] }
        let nodes =
            flat.values ?? flat.unions.flatMap(\.parts).flatMap { translator.resolved($0)?.values ?? [] }
        return nodes.compactMap { $0.string ?? (LiteralKey.isInteger($0) ? LiteralKey.text(of: $0) : nil) }
    }
}
