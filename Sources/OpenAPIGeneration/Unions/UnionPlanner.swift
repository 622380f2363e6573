/// Decides how the branches of a union are distinguished: by discriminator, JSON type, constant property, or otherwise by
/// all their properties and elements. Only a union with a branch that accepts any value falls back to `JSONValue`, with
/// a warning.
struct UnionPlanner {
    private(set) var declarations: [JSONPointer: Declaration]
    private(set) var plans = [JSONPointer: UnionPlan]()
    private let sink: DiagnosticSink
    private let shapes: ValueShapes

    init(_ declarations: [JSONPointer: Declaration], sink: DiagnosticSink) {
        var kept = CircularUnions(declarations, sink: sink).declarations
        for pointer in OverlappingObjects(kept).objects { kept[pointer]?.keepUnknown() }
        self.declarations = kept
        self.sink = sink
        shapes = ValueShapes(declarations: kept)
        for pointer in kept.keys.sorted() {
            guard let declaration = kept[pointer], let union = declaration.union else { continue }
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
        var kinds = [JSONKind: [Int]]()
        for (offset, branch) in union.branches.enumerated() {
            guard let own = shapes.kinds(of: branch.schema) else {
                if let type = branch.schema.shape.own {
                    sink.warn(
                        .configuration,
                        "\"\(type.name)\" is not used in a union: its schema accepts any value; falling back to JSONValue",
                        at: declaration.position)
                    return nil
                }
                return ambiguous("a branch accepts any value", at: branch.position)
            }
            for kind in own { kinds[kind, default: []].append(offset) }
        }
        if let objects = kinds[.object], objects.count == union.branches.count, kinds.count == 1,
            let constants = shapes.constants(union, objects), constants.decide
        {
            return .discriminator(constants.discriminator)
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
        guard kind == .object || kind == .array else { return byValue(union, kind, branches, declaration) }
        let constants = kind == .object ? shapes.constants(union, branches) : nil
        if let constants, constants.decide { return .property(constants.discriminator) }
        if union.isAnyOf, kind == .object,
            let type = branches.compactMap({ union.branches[$0].schema.shape.own }).first
        {
            sink.warn(
                .configuration,
                "a value of several branches has only the properties that \"\(type.name)\" keeps, if it is decoded as one",
                at: declaration.position)
        }
        let table = MatchTable(union, kind, branches, shapes: shapes)
        if !table.isCertain {
            guess(Self.reason(table, kind, branches.count), declaration)
        }
        return .match(table, constants: constants?.discriminator)
    }

    private static func reason(_ table: MatchTable, _ kind: JSONKind, _ count: Int) -> String {
        let parts = kind == .object ? "properties" : "elements"
        let head = "\(count) branches are JSON \(kind.rawValue)s; "
        guard table.alike > 1 else { return head + "they are distinguished by their \(parts)" }
        let whose = table.alike == count ? "their \(parts)" : "the \(parts) of \(table.alike)"
        return head + "nothing in \(whose) distinguishes them; the first that can be decoded is used"
    }

    private func byValue(
        _ union: UnionDeclaration, _ kind: JSONKind, _ branches: [Int], _ declaration: Declaration
    ) -> UnionPlan.Choice {
        var attempts: [(rank: Int, branch: Int)] = []
        var cases: [(values: [String], branch: Int)] = []
        var fallback: Int?
        var seen = Set<ExactText>()
        for branch in branches {
            let schema = union.branches[branch].schema
            if let values = shapes.values(of: schema), kind == (values.isInteger ? .number : .string) {
                let own = values.texts.filter { seen.insert($0) }
                if !own.isEmpty { cases.append((own, branch)) }
                continue
            }
            if let rank = shapes.strictness(of: schema) {
                attempts.append((rank, branch))
            } else if fallback == nil {
                fallback = branch
            }
        }
        if attempts.count > 1 {
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
                $0.name.isSame(as: discriminator.property)
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
                !object.properties.contains(where: { $0.name.isSame(as: discriminator.property) })
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
}
