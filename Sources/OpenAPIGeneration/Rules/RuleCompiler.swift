/// Compiles the validation keywords of request schemas (JSON Schema 2020-12, Validation, section 6) into a table.
///
/// It reads the schemas instead of the Swift types because one type can represent several schemas.
final class RuleCompiler {
    let resolver: ReferenceResolver
    let reader: RawSchemaReader
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
    private var known = [JSONPointer: Int]()
    private var memberNames = [JSONPointer: MemberNames]()
    /// The rows that decide whether a schema matches.
    private var tests = Set<Int>()
    private var waiting: [(row: Int, part: RawSchema.Part, place: Surroundings)] = []

    /// Where a schema is that applies to the same value as the schema that contains it.
    struct Surroundings {
        var names: MemberNames?
        /// Whether the schema decides whether a value matches. All that it requires is compared then.
        var decides = false
    }

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
                read(next.part, in: next.place, into: next.row)
            }
        }
        return finished(roots)
    }

    /// - Parameter isTarget: Whether it is the target of a reference.
    func row(
        of part: RawSchema.Part, in place: Surroundings = Surroundings(), isTarget: Bool = false
    ) -> Int {
        var final = part
        var passed = Set<JSONPointer>()
        // A reference with other keywords has a row of its own.
        while let node = final.node, node["$ref"] != nil, node.members.count == 1,
            passed.insert(final.pointer).inserted, let target = target(final)
        {
            final = target
        }
        var place = place
        var key = final.pointer
        if isTarget || !passed.isEmpty {
            let own = names(of: final)
            let missing = own.required.subtracting(own.declared)
            // What the schemas around say of these is only true here.
            let shared = missing.intersection(place.names?.declared ?? [])
            let outer = place.names
            place = Surroundings()
            if !shared.isEmpty, let outer {
                place.names = MemberNames(shared, of: outer)
                key = key.appending("required").appending(shared.texts.joined(separator: " "))
            }
        }
        if let row = known[key] { return row }
        known[key] = rows.count
        waiting.append((rows.count, final, place))
        rows.append(Row())
        return rows.count - 1
    }

    func names(of part: RawSchema.Part) -> MemberNames {
        if let known = memberNames[part.pointer] { return known }
        let names = MemberNames(part, reader: reader, target: target)
        memberNames[part.pointer] = names
        return names
    }

    /// The row of a schema that decides whether a value matches.
    func testRow(_ part: RawSchema.Part, _ names: MemberNames?) -> Int {
        let row = row(of: part, in: Surroundings(names: names, decides: true))
        tests.insert(row)
        return row
    }

    /// A row for objects with these properties.
    func testRow(requiring names: [String]) -> Int { testRow(names.map { .need($0) }) }

    /// A row of its own that decides whether a value matches.
    func testRow(_ entries: [RuleEntry]) -> Int {
        rows.append(Row(entries: entries, demands: true))
        tests.insert(rows.count - 1)
        return rows.count - 1
    }

    /// The direct target of a reference.
    func target(_ part: RawSchema.Part) -> RawSchema.Part? {
        guard let node = part.node, let reference = node["$ref"]?.string,
            let target = try? resolver.target(of: reference, at: node.position)
        else { return nil }
        return RawSchema.Part(node: target.node, pointer: target.pointer)
    }

    private func read(_ part: RawSchema.Part, in place: Surroundings, into index: Int) {
        guard let raw = reader.read(part) else {
            guard part.node?.bool == false else { return }
            // Every value matches the empty schema.
            rows[index].entries = [.test(.not, testRow(requiring: []))]
            rows[index].demands = true
            return
        }
        let own = names(of: part)
        let names = place.names.map { own.union($0) } ?? own
        let inner = Surroundings(names: names, decides: place.decides)
        var entries: [RuleEntry] = []
        if raw.reference != nil, let target = target(part), target.pointer != part.pointer {
            entries.append(.all(row(of: target, in: inner, isTarget: true)))
        }
        let bounds =
            RuleBounds(schema: raw, sink: sink).entries + demands(of: raw, names, place)
            + (place.decides ? [] : nullEntries(raw))
        rows[index].demands = !bounds.isEmpty
        entries += bounds
        for member in raw.allOf { entries.append(.all(row(of: member, in: inner))) }
        for property in raw.properties where property.name.isPlain {
            entries.append(.property(row(of: property.schema), property.name))
        }
        for pattern in raw.patterns { entries.append(.matching(row(of: pattern.schema), pattern.text)) }
        for (position, part) in raw.prefix.enumerated() {
            entries.append(.element(row(of: part), position))
        }
        for applicator in Applicator.allCases {
            guard let part = raw.applied[applicator], part.node?.bool != false else { continue }
            entries.append(.applied(applicator, row(of: part)))
        }
        if raw.applied[.items]?.node?.bool == false {
            entries.append(.bound(Bound.maxItems.rawValue, String(raw.prefix.count)))
            rows[index].demands = true
        }
        var rest = forbiddenRest(of: part, raw)
        if case .schema(let schema) = raw.additional { rest = schema }
        if let rest { entries += others(rest, of: raw, own) }
        entries += branches(of: raw, inner)
        entries += branchMarks(raw, names)
        if let node = part.node {
            entries += testEntries(of: node, at: part.pointer, names)
        }
        if let rest, isUnevaluated(rest, of: raw, own) {
            entries += conditionalEntries(of: part, rest: rest, names)
        }
        if entries.contains(where: { $0.isTest }) { rows[index].demands = true }
        if let discriminator = raw.discriminator { entries += choice(discriminator, raw, inner) }
        rows[index].entries = entries
    }

    /// The type of values of several kinds, and of collections, does not ensure that a value is not null.
    private func nullEntries(_ raw: RawSchema) -> [RuleEntry] {
        guard reader.version != .v3_0, raw.types.isEmpty, !raw.isNullable, let values = raw.values,
            !values.contains(where: \.isNull),
            Set(values.map(\.kind)).count > 1
                || values.contains(where: { $0.array != nil || $0.object != nil })
        else { return [] }
        return [.test(.not, testRow([.types(["null"])]))]
    }

    /// The required members that the generated type does not ensure. Beside properties they are optional there and here,
    /// because documents list names that servers do not know, unless the schema says what other members are.
    private func demands(of raw: RawSchema, _ names: MemberNames, _ place: Surroundings) -> [RuleEntry] {
        guard !place.decides, names.declared.isEmpty || !raw.additional.isUnsaid else { return [] }
        return raw.required.filter { !names.declared.contains($0) && $0.isPlain }
            .map { .bound("required", $0) }
    }

    /// The entries of the schema for the members that no other schema describes.
    private func others(
        _ part: RawSchema.Part, of raw: RawSchema, _ names: MemberNames
    ) -> [RuleEntry] {
        // `additionalProperties` is only about the properties and patterns next to it.
        guard part.pointer == raw.pointer.appending("unevaluatedProperties") else {
            return raw.properties.allSatisfy { $0.name.isPlain } ? [.others(row(of: part))] : []
        }
        guard isUnevaluated(part, of: raw, names) else { return [] }
        var result: [RuleEntry] = [.others(row(of: part))]
        let declared = names.declared.subtracting(raw.properties.map { ExactText($0.name) })
        let patterns = names.patterns.subtracting(raw.patterns.map { ExactText($0.text) })
        guard !declared.isEmpty || !patterns.isEmpty else { return result }
        // The schemas that are part of this one have the rules of these members.
        rows.append(Row())
        result += declared.texts.map { .property(rows.count - 1, $0) }
        result += patterns.texts.map { .matching(rows.count - 1, $0) }
        return result
    }

    /// Whether a schema is that of `unevaluatedProperties`, and all members that other schemas describe are known.
    private func isUnevaluated(_ part: RawSchema.Part, of raw: RawSchema, _ names: MemberNames) -> Bool {
        part.pointer == raw.pointer.appending("unevaluatedProperties") && !names.hasOthers
            && names.declared.allSatisfy { $0.text.isPlain }
            && raw.discriminator.map { names.declared.contains(ExactText($0.property)) } ?? true
    }

    private func branches(of raw: RawSchema, _ inner: Surroundings) -> [RuleEntry] {
        [(RuleEntry.Test.oneOf, raw.oneOf), (.anyOf, raw.anyOf)].flatMap { keyword, parts -> [RuleEntry] in
            guard restrict(parts, raw) else { return parts.map { .any(row(of: $0, in: inner)) } }
            return parts.map { .test(keyword, testRow($0, inner.names)) }
        }
    }

    /// Whether branches only restrict a value that other schemas describe.
    private func restrict(_ branches: [RawSchema.Part], _ outer: RawSchema) -> Bool {
        let described = outer.allOf.reduce(into: Set(outer.properties.map { ExactText($0.name) })) {
            $0.formUnion(names(of: $1).declared)
        }
        return !branches.isEmpty
            && branches.allSatisfy { branch in
                guard let node = branch.node, var raw = reader.read(branch) else { return false }
                // Bounds of members that the schema itself describes.
                let bounded = raw.properties.filter { property in
                    guard described.contains(ExactText(property.name)), let raw = reader.read(property.schema)
                    else { return false }
                    return raw.isRestriction && raw.types.isEmpty && raw.format == nil && !raw.bounds.isEmpty
                }
                guard bounded.count == raw.properties.count else { return false }
                raw.properties = []
                guard raw.isRestriction, raw.format == nil else { return false }
                let isRestricting =
                    !raw.required.isEmpty || !raw.bounds.isEmpty || node["not"] != nil || !bounded.isEmpty
                return isRestricting && isCompared(node)
            }
    }

    /// The entries that decide whether a value matches this branch of a union.
    private func branchMarks(_ raw: RawSchema, _ memberNames: MemberNames) -> [RuleEntry] {
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
        for name in raw.required where !memberNames.readOnly.contains(name) && name.isPlain {
            result.append(.need(name))
        }
        return result
    }

    private func choice(
        _ discriminator: RawSchema.Discriminator, _ raw: RawSchema, _ inner: Surroundings
    ) -> [RuleEntry] {
        guard !(raw.oneOf + raw.anyOf).isEmpty else { return [] }
        var result: [RuleEntry] = []
        for (value, reference, position) in discriminator.mapping {
            let full = reference.contains("/") ? reference : "#/components/schemas/" + reference
            guard value.isPlain,
                let target = try? resolver.target(of: full, at: position)
            else { continue }
            let part = RawSchema.Part(node: target.node, pointer: target.pointer)
            result.append(.when(row(of: part, in: inner, isTarget: true), value))
        }
        if discriminator.mapping.isEmpty {
            for branch in raw.oneOf + raw.anyOf {
                guard let reference = branch.node?["$ref"]?.string,
                    let name = JSONPointer.tokens(of: reference).last
                else { continue }
                result.append(.when(row(of: branch, in: inner), name))
            }
        }
        guard discriminator.property.isPlain, !result.isEmpty else { return [] }
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
        var numbers = [Int: Int]()
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
        var result = [JSONPointer: Int]()
        for (pointer, row) in roots where matters[row] { result[pointer] = numbers[row] }
        return RuleTable(text: lines.joined(separator: "\n"), rows: result)
    }

    /// The rows that are branches of unions, and the rows that these include.
    private func branchRows(_ kept: [Bool]) -> Set<Int> {
        var result = Set<Int>()
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
