/// A union as an enum that keeps unrecognized values.
struct UnionRenderer {
    let model: CodeModel
    let types: SchemaTypes
    let pointer: JSONPointer
    let union: UnionDeclaration
    let plan: UnionPlan

    func declaration(
        _ name: String, _ documentation: [String], nested: [[SwiftDeclaration]]
    ) -> SwiftDeclaration {
        let direction = model.directions[pointer]
        let names = model.cases[pointer].map { SwiftName.escaped($0) }
        let branches = zip(names, union.branches).map { name, branch in
            Branch(name: name, type: types.plain(branch.schema))
        }
        var cases = branches.enumerated().map { offset, branch in
            SwiftDeclaration.enumCase(
                SwiftText.comment(comment(offset, branch.type)),
                isIndirect: model.layout.isBoxed(union.branches[offset].schema, in: pointer), branch.name,
                [.init(nil, branch.type)])
        }
        cases.append(
            .enumCase(["A variant that the document does not define."], "unrecognized", [.init(nil, .json)]))
        var groups = [cases]
        if direction != .request { groups += readers(branches).map { [$0] } }
        if direction != .response { groups.append([encoder(branches)]) }
        return SwiftDeclaration(
            documentation, "nonisolated enum " + name,
            .type([direction.coding("JSON")] + model.equality.conformances + ["Sendable"]),
            .members(groups + nested))
    }

    /// The first line of the branch's description, otherwise its schema or type, and its discriminator values.
    private func comment(_ offset: Int, _ type: SwiftType) -> String {
        let schema = union.branches[offset].schema
        var text = schema.annotations.text.flatMap { SwiftText.commentLines($0).first } ?? ""
        if text.isEmpty, case .declared(let target) = schema.shape {
            let own = model.declarations[target]?.annotations.text
            text = own.flatMap { SwiftText.commentLines($0).first } ?? model.names[target]?.subject ?? ""
        }
        if text.isEmpty { text = "A value of type `\(type.text(in: model.namespace))`." }
        guard case .discriminator(let discriminator) = plan,
            let values = discriminator.cases.first(where: { $0.branch == offset })?.values
        else { return text }
        let list = values.map { SwiftText.code($0) }.joined(separator: ", ")
        return "\(SwiftText.sentence(text)) \(SwiftText.code(discriminator.property)) is \(list)."
    }

    // MARK: Encoding

    private func encoder(_ branches: [Branch]) -> SwiftDeclaration {
        let names = branches.map(\.name) + ["unrecognized"]
        var users = [JSONPointer: Int]()
        for target in union.branches.compactMap(\.schema.shape.target) { users[target, default: 0] += 1 }
        let cases = names.enumerated().map { offset, name in
            let target =
                union.branches.indices.contains(offset) ? union.branches[offset].schema.shape.target : nil
            let isShared = target.map { users[$0] ?? 0 > 1 } ?? false
            return Statement.Case(
                [.call(.name("." + name), ["let _value"])], .expression(write(offset, isShared: isShared)))
        }
        return SwiftDeclaration(
            "func write", .function([.init("to _w", "inout JSONWriter")]), .block([.switch("self", cases)]))
    }

    /// The call that writes a branch. The fallback branch, and an alias of another branch, must not have a value that
    /// selects another one.
    ///
    /// - Parameter isShared: Whether another branch has the same type. Why: a union can have thousands of branches.
    private func write(_ branch: Int, isShared: Bool) -> Expression {
        for discriminator in plan.discriminators where isShared || discriminator.fallback == branch {
            let others = discriminator.cases.filter { item in
                item.branch != branch && (discriminator.fallback == branch || isAlias(item.branch, branch))
            }.flatMap(\.values)
            guard !others.isEmpty else { continue }
            return .call(
                "_w.fallback",
                ["_value", .literal(discriminator.property), .array(others.map { .literal($0) })])
        }
        return .call("_value.write", [.labelled("to", "&_w")])
    }

    /// Whether two branches have the same type.
    private func isAlias(_ branch: Int, _ other: Int) -> Bool {
        guard union.branches.indices.contains(other) else { return false }
        let target = union.branches[other].schema.shape.target
        return target != nil && target == union.branches[branch].schema.shape.target
    }

    // MARK: Decoding

    private struct Branch {
        let name: String
        let type: SwiftType

        private var decoded: Expression { .call(.type(type), [.labelled("json", "_json")]) }

        var read: Statement {
            .assign("self", .call(.name("." + name), [.prefixed("try", decoded)]))
        }

        /// Decodes the branch if the value matches it.
        var attempt: (condition: Expression, then: Statement) {
            (
                .binding("_value", .prefixed("try?", decoded)),
                .assign("self", .call(.name("." + name), ["_value"]))
            )
        }
    }

    private var unrecognized: Statement { Branch(name: "unrecognized", type: .json).read }

    private func readers(_ branches: [Branch]) -> [SwiftDeclaration] {
        var matched = Set<Int>()
        var patterns: [SwiftDeclaration] = []
        let body: Statement
        switch plan {
        case .discriminator(let discriminator): body = select(discriminator, branches)
        case .types(let types):
            let cases = types.map { type, choice in
                let isBelow = if case .values = choice { true } else { false }
                if case .match(let table, _) = choice {
                    matched.formUnion(table.branches)
                    if !table.patterns.isEmpty {
                        let lines = Expression.literal(table.patterns.joined(separator: "\n"))
                        patterns.append(
                            SwiftDeclaration(
                                isVisible: false, "private static let " + Self.patternsName(type),
                                .value(.call("NamePatterns", [lines]))))
                    }
                }
                return Statement.Case(
                    [.name("JSONType." + type.rawValue)], select(type, choice, branches), isBelow: isBelow)
            }
            body = .switch("_json.type", cases + [.init([], unrecognized)])
        }
        let reader = SwiftDeclaration(
            "init", .function([.init("json _json", "JSONElement")], throws: "JSONError"), .block([body]))
        return matched.isEmpty ? [reader] : [reader, branchReader(matched.sorted(), branches)] + patterns
    }

    /// The name of the patterns for the values of a JSON type.
    private static func patternsName(_ type: JSONKind) -> String { "_\(type.rawValue)Patterns" }

    /// The initializer with a branch that the runtime selects.
    private func branchReader(_ matched: [Int], _ branches: [Branch]) -> SwiftDeclaration {
        let cases = matched.map { Statement.Case([.name(String($0))], branches[$0].read) }
        return SwiftDeclaration(
            isVisible: false, "private init",
            .function(
                [.init("_branch", "Int"), .init("json _json", "JSONElement")], throws: "JSONError"),
            .block([.switch("_branch", cases + [.init([], unrecognized)])]))
    }

    private func select(_ discriminator: UnionPlan.Discriminator, _ branches: [Branch]) -> Statement {
        let method: Expression =
            discriminator.isInteger ? "_json.integerDiscriminator" : "_json.discriminator"
        let cases = discriminator.cases.map { values, branch in
            Statement.Case(patterns(values, areTexts: !discriminator.isInteger), branches[branch].read)
        }
        let fallback = discriminator.fallback.map { branches[$0].read } ?? unrecognized
        var value = Expression.call(method, [.literal(discriminator.property)])
        if !discriminator.isInteger {
            value = value.exact(discriminator.cases.flatMap(\.values), isOptional: true)
        }
        return .switch(value, cases + [.init([], fallback)])
    }

    private func patterns(_ values: [String], areTexts: Bool) -> [Expression] {
        values.map { .suffixed(areTexts ? .literal($0) : .name($0), "?") }
    }

    private func select(_ type: JSONKind, _ choice: UnionPlan.Choice, _ branches: [Branch]) -> Statement {
        switch choice {
        case .only(let branch): return branches[branch].read
        case .property(let discriminator): return select(discriminator, branches)
        case .match(let table, _):
            var arguments: [Expression] = [.literal(table.text)]
            if !table.elements.isEmpty { arguments.append(.labelled("elements", .literal(table.elements))) }
            if !table.patterns.isEmpty {
                arguments.append(.labelled("patterns", .name("Self." + Self.patternsName(type))))
            }
            if table.isCertain { arguments.append(.labelled("isCertain", "true")) }
            arguments.append("Self.init(_branch:json:)")
            return .assign("self", .prefixed("try", .call("_json.match", arguments)))
        case .values(let attempts, let values, let fallback):
            let last = Statement.if(
                attempts.map { branches[$0].attempt },
                otherwise: fallback.map { branches[$0].read } ?? unrecognized)
            guard !values.isEmpty else { return last }
            let isText = type == .string
            let cases = values.map { values, branch in
                Statement.Case(patterns(values, areTexts: isText), branches[branch].read)
            }
            let text = Expression.name("_json.stringOrNil").exact(values.flatMap(\.values), isOptional: true)
            return .switch(isText ? text : "_json.integerOrNil", cases + [.init([], last)])
        }
    }
}
