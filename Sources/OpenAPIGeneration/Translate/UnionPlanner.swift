/// Finds out how the branches of a union are told apart: by the discriminator, the JSON type, a constant
/// property, or a required key of their own. Where none does, the union becomes any JSON value, with a warning.
struct UnionPlanner {
    private(set) var declarations: [JSONPointer: Declaration]
    private(set) var plans: [JSONPointer: UnionPlan] = [:]
    private let sink: DiagnosticSink

    init(_ declarations: [JSONPointer: Declaration], sink: DiagnosticSink) {
        self.declarations = declarations
        self.sink = sink
        for pointer in declarations.keys.sorted() {
            guard let declaration = declarations[pointer], case .union(let union) = declaration.kind else {
                continue
            }
            if let plan = plan(union, of: declaration) {
                plans[pointer] = plan
            } else {
                self.declarations[pointer]?.kind = .opaque
            }
        }
    }

    private func plan(_ union: UnionDeclaration, of declaration: Declaration) -> UnionPlan? {
        if let discriminator = union.discriminator {
            return byDiscriminator(discriminator, union, declaration)
        }
        var kinds: [JSONKind: [Int]] = [:]
        for (offset, branch) in union.branches.enumerated() {
            var path: Set<JSONPointer> = []
            guard let own = jsonKinds(branch.schema, path: &path) else {
                return ambiguous("a branch takes any value", at: branch.position)
            }
            for kind in own { kinds[kind, default: []].append(offset) }
        }
        if let objects = kinds[.object], objects.count == union.branches.count,
            let plan = byConstant(union)
        {
            return plan
        }
        var cases: [(type: JSONKind, choice: UnionPlan.Choice)] = []
        for kind in JSONKind.allCases {
            guard let branches = kinds[kind] else { continue }
            if branches.count == 1 {
                cases.append((kind, .only(branches[0])))
            } else if kind == .object, let keys = uniqueKeys(union, branches) {
                cases.append((kind, .keys(keys)))
            } else {
                return ambiguous(
                    "\(branches.count) branches are a JSON \(kind.rawValue), and nothing tells them apart",
                    at: declaration.position)
            }
        }
        return .types(cases)
    }

    private func ambiguous(_ reason: String, at position: SourcePosition) -> UnionPlan? {
        sink.report(.warning(.ambiguousUnion, reason + "; any JSON value is taken", at: position))
        return nil
    }

    private func byDiscriminator(
        _ discriminator: UnionDeclaration.Discriminator, _ union: UnionDeclaration,
        _ declaration: Declaration
    ) -> UnionPlan {
        var cases: [(values: [String], branch: Int)] = []
        for (offset, branch) in union.branches.enumerated() {
            let values = discriminator.values.filter { $0.branch == offset }.map(\.value)
            if values.isEmpty {
                sink.report(
                    .warning(
                        .ambiguousUnion,
                        "no value of the discriminator leads to this branch; it is never read",
                        at: branch.position))
                continue
            }
            if let object = object(branch.schema),
                !object.properties.contains(where: { $0.name == discriminator.property })
            {
                sink.report(
                    .warning(
                        .structure,
                        "a branch lacks the discriminator \"\(discriminator.property)\"; it is written without",
                        at: branch.position))
            }
            cases.append((values, offset))
        }
        return .discriminator(property: discriminator.property, cases: cases)
    }

    /// A property whose strings differ from branch to branch is a discriminator that nobody declared.
    private func byConstant(_ union: UnionDeclaration) -> UnionPlan? {
        guard let first = union.branches.first.flatMap({ object($0.schema) }) else { return nil }
        let candidates = first.properties.filter { !values(of: $0.schema).isEmpty }
        for candidate in candidates.map(\.name).sorted() {
            var cases: [(values: [String], branch: Int)] = []
            var seen: Set<String> = []
            for (offset, branch) in union.branches.enumerated() {
                let property = object(branch.schema)?.properties.first { $0.name == candidate }
                let own = property.map { values(of: $0.schema) } ?? []
                guard !own.isEmpty, seen.isDisjoint(with: own) else { break }
                seen.formUnion(own)
                cases.append((own, offset))
            }
            if cases.count == union.branches.count {
                return .discriminator(property: candidate, cases: cases)
            }
        }
        return nil
    }

    /// The strings that a schema allows, sorted; none where it allows any.
    private func values(of schema: Schema) -> [String] {
        if let constant = schema.annotations.constant?.string { return [constant] }
        guard case .declared(let pointer) = schema.shape,
            case .enumeration(let enumeration)? = declarations[pointer]?.kind,
            case .strings(let values) = enumeration.values
        else { return [] }
        return values.sorted()
    }

    /// For each branch a required key that no other branch knows.
    private func uniqueKeys(_ union: UnionDeclaration, _ branches: [Int]) -> [(key: String, branch: Int)]? {
        var owners: [String: Int] = [:]
        var objects: [ObjectDeclaration] = []
        for branch in branches {
            guard let object = object(union.branches[branch].schema) else { return nil }
            for property in object.properties { owners[property.name, default: 0] += 1 }
            objects.append(object)
        }
        var result: [(key: String, branch: Int)] = []
        for (branch, object) in zip(branches, objects) {
            let own = object.properties.first { $0.isRequired && owners[$0.name] == 1 }
            guard let own else { return nil }
            result.append((own.name, branch))
        }
        return result
    }

    private func object(_ schema: Schema) -> ObjectDeclaration? {
        guard case .declared(let pointer) = schema.shape,
            case .object(let object)? = declarations[pointer]?.kind
        else { return nil }
        return object
    }

    /// The JSON types that a value can have; nil for all.
    private func jsonKinds(_ schema: Schema, path: inout Set<JSONPointer>) -> Set<JSONKind>? {
        switch schema.shape {
        case .any: return nil
        case .boolean: return [.bool]
        case .string: return [.string]
        case .integer, .number: return [.number]
        case .array: return [.array]
        case .map: return [.object]
        case .declared(let pointer):
            switch declarations[pointer]?.kind {
            case .object: return [.object]
            case .enumeration(let enumeration):
                if case .strings = enumeration.values { return [.string] }
                return [.number]
            case .union(let union):
                guard path.insert(pointer).inserted else { return [] }
                var result: Set<JSONKind> = []
                for branch in union.branches {
                    guard let kinds = jsonKinds(branch.schema, path: &path) else { return nil }
                    result.formUnion(kinds)
                }
                return result
            case .opaque, nil: return nil
            }
        }
    }
}
