/// Decides how the branches of a union are distinguished: by discriminator, JSON type, constant property, unique
/// required key, or otherwise by all their properties. Only a union with a branch that accepts any value falls back to
/// `JSONValue`, with a warning.
struct UnionPlanner {
    private(set) var declarations: [JSONPointer: Declaration]
    private(set) var plans: [JSONPointer: UnionPlan] = [:]
    private let sink: DiagnosticSink
    private let shapes: ValueShapes

    init(_ declarations: [JSONPointer: Declaration], sink: DiagnosticSink) {
        self.declarations = declarations
        self.sink = sink
        shapes = ValueShapes(declarations: declarations)
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
            guard let own = shapes.kinds(of: branch.schema) else {
                return ambiguous("a branch accepts any value", at: branch.position)
            }
            for kind in own { kinds[kind, default: []].append(offset) }
        }
        if let objects = kinds[.object], objects.count == union.branches.count, kinds.count == 1,
            let plan = byConstant(union, objects)
        {
            return .discriminator(plan)
        }
        var cases: [(type: JSONKind, choice: UnionPlan.Choice)] = []
        for kind in JSONKind.allCases {
            guard let branches = kinds[kind] else { continue }
            cases.append((kind, choice(union, kind, branches, declaration)))
        }
        return .types(cases)
    }

    private func choice(
        _ union: UnionDeclaration, _ kind: JSONKind, _ branches: [Int], _ declaration: Declaration
    ) -> UnionPlan.Choice {
        if branches.count == 1 { return .only(branches[0]) }
        guard kind == .object else { return byValue(union, kind, branches, declaration) }
        if let plan = byConstant(union, branches) { return .property(plan) }
        if let keys = uniqueKeys(union, branches) { return .keys(keys) }
        let table = MatchTable(union, branches, shapes: shapes)
        if !table.isCertain {
            guess(
                "\(branches.count) branches are JSON objects; they are distinguished by their properties",
                declaration)
        }
        return .match(table: table.text, branches: table.branches, isCertain: table.isCertain)
    }

    private func byValue(
        _ union: UnionDeclaration, _ kind: JSONKind, _ branches: [Int], _ declaration: Declaration
    ) -> UnionPlan.Choice {
        var attempts: [(rank: Int, branch: Int)] = []
        var cases: [(values: [String], branch: Int)] = []
        var fallback: Int?
        var seen: Set<String> = []
        for branch in branches {
            let schema = union.branches[branch].schema
            if let values = shapes.values(of: schema), kind == (values.isInteger ? .number : .string) {
                let own = values.texts.filter { seen.insert($0).inserted }
                if !own.isEmpty { cases.append((own, branch)) }
                continue
            }
            if let rank = shapes.strictness(of: schema, kind) {
                attempts.append((rank, branch))
            } else if fallback == nil {
                fallback = branch
            }
        }
        let isGuess = attempts.count > 1 || (kind == .array && attempts.count + cases.count > 0)
        if isGuess {
            guess(
                "\(branches.count) branches are a JSON \(kind.rawValue); the first that can be decoded is used",
                declaration)
        }
        return .values(
            attempts: attempts.sorted { ($0.rank, $0.branch) < ($1.rank, $1.branch) }.map(\.branch),
            cases: cases, fallback: fallback)
    }

    private func guess(_ reason: String, _ declaration: Declaration) {
        sink.warn(.ambiguousUnion, reason, at: declaration.position)
    }

    private func ambiguous(_ reason: String, at position: SourcePosition) -> UnionPlan? {
        sink.warn(.ambiguousUnion, reason + "; falling back to JSONValue", at: position)
        return nil
    }

    private func byDiscriminator(
        _ discriminator: UnionDeclaration.Discriminator, _ union: UnionDeclaration, _ declaration: Declaration
    ) -> UnionPlan {
        var cases: [(values: [String], branch: Int)] = []
        var isInteger = true
        for (offset, branch) in union.branches.enumerated() {
            let values = discriminator.values.filter { $0.branch == offset }.map(\.value)
            let property = shapes.object(branch.schema)?.properties.first {
                $0.name == discriminator.property
            }
            if property.map({ shapes.isInteger($0.schema) }) != true { isInteger = false }
            if values.isEmpty {
                if offset != discriminator.fallback {
                    sink.warn(
                        .ambiguousUnion,
                        "no \"discriminator\" value maps to this branch; it is never decoded",
                        at: branch.position)
                }
                continue
            }
            if let object = shapes.object(branch.schema),
                !object.properties.contains(where: { $0.name == discriminator.property })
            {
                sink.warn(
                    .structure,
                    "a branch has no property \"\(discriminator.property)\" for the \"discriminator\"; it is encoded without it",
                    at: branch.position)
            }
            cases.append((values, offset))
        }
        isInteger = isInteger && cases.allSatisfy { $0.values.allSatisfy { Int64($0) != nil } }
        return .discriminator(
            .init(
                property: discriminator.property, isInteger: isInteger, cases: cases,
                fallback: discriminator.fallback))
    }

    /// An undeclared discriminator: a property with different values in each branch.
    private func byConstant(_ union: UnionDeclaration, _ branches: [Int]) -> UnionPlan.Discriminator? {
        guard let first = branches.first.flatMap({ shapes.object(union.branches[$0].schema) }) else {
            return nil
        }
        let candidates = first.properties.filter { shapes.values(of: $0.schema) != nil }
        for candidate in candidates.map(\.name).sorted() {
            var cases: [(values: [String], branch: Int)] = []
            var seen: Set<String> = []
            var isInteger: Bool?
            for branch in branches {
                let object = shapes.object(union.branches[branch].schema)
                let property = object?.properties.first { $0.name == candidate }
                guard let own = property.flatMap({ shapes.values(of: $0.schema) }), !own.texts.isEmpty,
                    isInteger ?? own.isInteger == own.isInteger, seen.isDisjoint(with: own.texts)
                else { break }
                isInteger = own.isInteger
                seen.formUnion(own.texts)
                cases.append((own.texts, branch))
            }
            if cases.count == branches.count {
                return .init(property: candidate, isInteger: isInteger ?? false, cases: cases)
            }
        }
        return nil
    }

    /// For each branch, a required key that no other branch has.
    private func uniqueKeys(_ union: UnionDeclaration, _ branches: [Int]) -> [(key: String, branch: Int)]? {
        var owners: [String: Int] = [:]
        var objects: [ObjectDeclaration] = []
        for branch in branches {
            guard let object = shapes.object(union.branches[branch].schema) else { return nil }
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
}
