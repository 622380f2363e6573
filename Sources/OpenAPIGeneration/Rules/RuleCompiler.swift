/// Compiles the validation keywords of request schemas (JSON Schema 2020-12, Validation, section 6) into a table.
///
/// It reads the schemas instead of the Swift types because one type can represent several schemas.
final class RuleCompiler {
    let resolver: ReferenceResolver
    private let reader: RawSchemaReader
    let sink: DiagnosticSink

    private struct Row {
        var entries: [RuleEntry] = []
        /// Whether it has rules for the value itself.
        var demands = false

        /// Whether an entry is of a member or an element that a rule for the others does not apply to.
        ///
        /// - Parameter matters: The rows with rules.
        func isException(_ entry: RuleEntry, _ matters: [Bool]) -> Bool {
            entries.contains { rule in
                switch (entry, rule) {
                case (.property, .others(let row)), (.matching, .others(let row)),
                    (.element, .applied(.items, let row)):
                    matters[row]
                default: false
                }
            }
        }
    }

    private var rows: [Row] = []
    private var known: [JSONPointer: Int] = [:]
    /// The rows that decide whether a schema matches.
    private var tests: Set<Int> = []
    private var waiting: [(row: Int, part: RawSchema.Part)] = []

    init(root: Node, version: OpenAPIVersion, sink: DiagnosticSink) {
        resolver = ReferenceResolver(root: root)
        // Errors were already reported when the schema was translated.
        reader = RawSchemaReader(version: version, sink: DiagnosticSink())
        self.sink = sink
    }

    /// The table for the requests of some operations.
    func table(for operations: [Operation]) -> RuleTable {
        var roots: [(pointer: JSONPointer, row: Int)] = []
        for operation in operations {
            let parts =
                operation.parameters.map(\.part) + (operation.body?.contents.map(\.part) ?? [])
            for part in parts {
                guard let part else { continue }
                roots.append((part.pointer, row(of: part)))
            }
            while let next = waiting.popLast() {
                guard rows.count <= TreeLimits.schemas else {
                    sink.fail(.limit, "validation rule limit exceeded", at: next.part.position)
                    return .empty
                }
                read(next.part, into: next.row)
            }
        }
        return finished(roots)
    }

    private func row(of part: RawSchema.Part) -> Int {
        var part = part
        if let node = part.node, node["$ref"] != nil, node.members.count == 1, let target = target(part) {
            part = target
        }
        if let row = known[part.pointer] { return row }
        known[part.pointer] = rows.count
        waiting.append((rows.count, part))
        rows.append(Row())
        return rows.count - 1
    }

    /// The row of a schema that decides whether a value matches.
    func testRow(_ node: Node, at place: JSONPointer) -> Int {
        let row = row(of: RawSchema.Part(node: node, pointer: place))
        tests.insert(row)
        return row
    }

    /// A row for objects with these properties.
    func testRow(requiring names: [String]) -> Int {
        rows.append(Row(entries: names.map { .need($0) }, demands: true))
        tests.insert(rows.count - 1)
        return rows.count - 1
    }

    private func target(_ part: RawSchema.Part) -> RawSchema.Part? {
        guard let node = part.node, let target = try? resolver.final(node, at: part.pointer) else {
            return nil
        }
        return RawSchema.Part(node: target.node, pointer: target.pointer)
    }

    private func read(_ part: RawSchema.Part, into index: Int) {
        guard let raw = reader.read(part) else { return }
        var entries: [RuleEntry] = []
        if raw.reference != nil, let target = target(part), target.pointer != part.pointer {
            entries.append(.all(row(of: target)))
        }
        let bounds = RuleBounds(schema: raw, sink: sink).entries
        rows[index].demands = !bounds.isEmpty
        entries += bounds
        for member in raw.allOf { entries.append(.all(row(of: member))) }
        var hasAllNames = true
        for property in raw.properties {
            guard !property.name.utf8.contains(where: { $0 < 0x20 }) else {
                hasAllNames = false
                continue
            }
            entries.append(.property(row(of: property.schema), property.name))
        }
        for pattern in raw.patterns { entries.append(.matching(row(of: pattern.schema), pattern.text)) }
        for (position, part) in raw.prefix.enumerated() {
            entries.append(.element(row(of: part), position))
        }
        for applicator in Applicator.allCases {
            if let part = raw.applied[applicator] { entries.append(.applied(applicator, row(of: part))) }
        }
        if raw.applied[.items]?.node?.bool == false {
            entries.append(.bound(Bound.maxItems.rawValue, String(raw.prefix.count)))
            rows[index].demands = true
        }
        if case .schema(let others) = raw.additional, hasAllNames {
            entries.append(.others(row(of: others)))
        }
        for branch in raw.oneOf + raw.anyOf { entries.append(.any(row(of: branch))) }
        entries += branchMarks(raw)
        if let node = part.node {
            let own = testEntries(of: node, at: part.pointer)
            if !own.isEmpty { rows[index].demands = true }
            entries += own
        }
        if let discriminator = raw.discriminator { entries += choice(discriminator, raw) }
        rows[index].entries = entries
    }

    /// The entries that decide whether a value matches this branch of a union.
    private func branchMarks(_ raw: RawSchema) -> [RuleEntry] {
        let names: [(RawSchema.Types, String)] = [
            (.boolean, "boolean"), (.integer, "number"), (.number, "number"), (.string, "string"),
            (.array, "array"), (.object, "object"), (.null, "null"),
        ]
        var result: [RuleEntry] = []
        if !raw.types.isEmpty {
            let types = raw.isNullable ? raw.types.union(.null) : raw.types
            let all = names.filter { types.contains($0.0) }
            result.append(.types(all.map { $0.0 == .integer ? "integer" : $0.1 }))
        }
        for (type, name) in names where raw.types.contains(type) {
            if !result.contains(.type(name)) { result.append(.type(name)) }
        }
        let readOnly = Set(
            texts: raw.properties.filter { reader.read($0.schema)?.isReadOnly == true }.map(\.name))
        for name in raw.required where !readOnly.contains(name) {
            if name.utf8.allSatisfy({ $0 >= 0x20 }) { result.append(.need(name)) }
        }
        return result
    }

    private func choice(_ discriminator: RawSchema.Discriminator, _ raw: RawSchema) -> [RuleEntry] {
        guard !(raw.oneOf + raw.anyOf).isEmpty else { return [] }
        var result: [RuleEntry] = []
        for (value, reference, position) in discriminator.mapping {
            let full = reference.contains("/") ? reference : "#/components/schemas/" + reference
            guard value.utf8.allSatisfy({ $0 >= 0x20 }),
                let target = try? resolver.target(of: full, at: position)
            else { continue }
            let part = RawSchema.Part(node: target.node, pointer: target.pointer)
            result.append(.when(row(of: part), value))
        }
        if discriminator.mapping.isEmpty {
            for branch in raw.oneOf + raw.anyOf {
                guard let reference = branch.node?["$ref"]?.string,
                    let name = JSONPointer.tokens(of: reference).last
                else { continue }
                result.append(.when(row(of: branch), name))
            }
        }
        guard discriminator.property.utf8.allSatisfy({ $0 >= 0x20 }), !result.isEmpty else { return [] }
        return [.by(discriminator.property)] + result
    }

    /// Removes rows without rules and numbers the others.
    private func finished(_ roots: [(pointer: JSONPointer, row: Int)]) -> RuleTable {
        var stack = Array(tests)
        while let next = stack.popLast() {
            for target in rows[next].entries.compactMap(\.target) where tests.insert(target).inserted {
                stack.append(target)
            }
        }
        for row in tests { rows[row].demands = true }
        var matters = rows.map(\.demands)
        var users: [[Int]] = Array(repeating: [], count: rows.count)
        for (index, row) in rows.enumerated() {
            for target in row.entries.compactMap(\.target) { users[target].append(index) }
        }
        var changed = matters.indices.filter { matters[$0] }
        while let next = changed.popLast() {
            for user in users[next] where !matters[user] {
                matters[user] = true
                changed.append(user)
            }
        }
        // All branches of a union are kept: a branch without rules accepts its values. So are the members and elements
        // that a rule for the others does not apply to.
        var kept = matters
        stack = matters.indices.filter { matters[$0] }
        while let next = stack.popLast() {
            for entry in rows[next].entries {
                guard let target = entry.target, !kept[target],
                    entry.isBranch || rows[next].isException(entry, matters)
                else { continue }
                kept[target] = true
                stack.append(target)
            }
        }
        var numbers: [Int: Int] = [:]
        for index in rows.indices where kept[index] { numbers[index] = numbers.count }
        guard !numbers.isEmpty else { return .empty }
        let isBranch = branchRows(kept)
        let lines = rows.indices.filter { kept[$0] }.map { index in
            rows[index].entries.compactMap { entry -> String? in
                if entry.isMark, !isBranch.contains(index), !tests.contains(index) { return nil }
                if case .types = entry, !tests.contains(index) { return nil }
                guard let target = entry.target else { return entry.text(nil) }
                return numbers[target].map { entry.text($0) }
            }.joined(separator: "\t")
        }
        var result: [JSONPointer: Int] = [:]
        for (pointer, row) in roots where matters[row] { result[pointer] = numbers[row] }
        return RuleTable(text: lines.joined(separator: "\n"), rows: result)
    }

    /// The rows that are branches of unions, and the rows that these include.
    private func branchRows(_ kept: [Bool]) -> Set<Int> {
        var result: Set<Int> = []
        var stack: [Int] = []
        for index in rows.indices where kept[index] {
            for case .any(let target) in rows[index].entries { stack.append(target) }
        }
        while let next = stack.popLast() {
            guard result.insert(next).inserted else { continue }
            for case .all(let target) in rows[next].entries { stack.append(target) }
        }
        return result
    }
}
