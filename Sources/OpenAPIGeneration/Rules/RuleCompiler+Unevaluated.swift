extension RuleCompiler {
    /// Members that only some schemas of the same value describe.
    private struct Described {
        /// Those that are described for each value, or for values that cannot be compared.
        var always = Set<ExactText>()
        /// Those that are described for the values that match a row.
        var conditional: [(names: Set<ExactText>, row: Int)] = []
        fileprivate var seen = Set<JSONPointer>()
    }

    /// The schema of `unevaluatedProperties` if it is `false` and the generated types can have other members: they are
    /// of branches, or are described under a condition.
    func forbiddenRest(of part: RawSchema.Part, _ raw: RawSchema) -> RawSchema.Part? {
        guard let node = part.node, node["additionalProperties"] == nil,
            let rest = node["unevaluatedProperties"], rest.bool == false, hasConditions(part)
        else { return nil }
        return RawSchema.Part(node: rest, pointer: raw.pointer.appending("unevaluatedProperties"))
    }

    private func hasConditions(_ part: RawSchema.Part) -> Bool {
        var seen = Set<JSONPointer>()
        var stack = [part]
        while let next = stack.popLast() {
            guard seen.insert(next.pointer).inserted, let node = next.node else { continue }
            if ["oneOf", "anyOf", "if", "dependentSchemas"].contains(where: { node[$0] != nil }) {
                return true
            }
            stack += always(next)
        }
        return false
    }

    /// The schemas in a schema that apply to each of its values.
    private func always(_ part: RawSchema.Part) -> [RawSchema.Part] {
        guard let raw = reader.read(part) else { return [] }
        return raw.allOf + (raw.reference == nil ? [] : [target(part)].compactMap { $0 })
    }

    /// The entries for the members that are unevaluated unless a branch or a condition that describes them matches.
    func conditionalEntries(
        of part: RawSchema.Part, rest: RawSchema.Part, _ names: MemberNames
    ) -> [RuleEntry] {
        guard let node = rest.node, isCompared(node) else { return [] }
        var described = Described()
        collect(part, names, into: &described)
        var rows = [ExactText: [Int]]()
        for (some, row) in described.conditional {
            for name in some where !described.always.contains(name) { rows[name, default: []].append(row) }
        }
        return rows.sorted { $0.key < $1.key }.map { name, rows in
            let other = testRow([.property(row(of: rest), name.text)])
            return .dependent(testRow((rows + [other]).map { .test(.anyOf, $0) }), name.text)
        }
    }

    private func collect(_ part: RawSchema.Part, _ names: MemberNames, into result: inout Described) {
        guard result.seen.insert(part.pointer).inserted, let node = part.node,
            let raw = reader.read(part)
        else { return }
        result.always.formUnion(raw.properties.map { ExactText($0.name) })
        for inner in always(part) { collect(inner, names, into: &result) }
        func add(_ part: RawSchema.Part, if row: Int?) {
            let declared = self.names(of: part).declared
            if let row {
                result.conditional.append((declared, row))
            } else {
                result.always.formUnion(declared)
            }
        }
        func row(_ part: RawSchema.Part) -> Int? {
            part.node.map { isCompared($0) } == true ? testRow(part, names) : nil
        }
        for branch in raw.oneOf + raw.anyOf { add(branch, if: row(branch)) }
        func inner(_ keyword: String) -> RawSchema.Part? {
            node[keyword].map { .init(node: $0, pointer: part.pointer.appending(keyword)) }
        }
        if let condition = inner("if") {
            let isTrue = row(condition)
            add(condition, if: isTrue)
            if let part = inner("then") { add(part, if: isTrue) }
            if let part = inner("else") { add(part, if: isTrue.map { testRow([.test(.not, $0)]) }) }
        }
        for member in node["dependentSchemas"]?.members ?? [] {
            let place = part.pointer.appending("dependentSchemas").appending(member.key)
            add(
                .init(node: member.value, pointer: place),
                if: member.key.isPlain ? testRow(requiring: [member.key]) : nil)
        }
    }
}
