/// Recognizes unions that are equivalent to simpler schemas.
enum UnionIdiom {
    enum Outcome {
        case any
        case shape(Schema.Shape, takesNull: Bool)
        /// An open enum of all these values.
        case values([Node], [EnumerationDeclaration.Label], takesNull: Bool)
        case union(takesNull: Bool)
    }

    /// Whether a schema is only `null`.
    fileprivate static func isNull(_ node: Node) -> Bool {
        if let type = node["type"] {
            if type.string == "null" || type.isNull { return true }
            if let types = type.array, types.count == 1 {
                return types[0].string == "null" || types[0].isNull
            }
        }
        if let constant = node["const"] { return constant.isNull }
        if let values = node["enum"]?.array { return values.count == 1 && values[0].isNull }
        return false
    }

    /// The formats of numbers that `Double` cannot represent.
    private static let exactFormats: Set<String?> = ["int64", "uint64", "decimal"]
    /// A nested union. Its branches are limited by its depth.
    private struct Nested: Hashable {
        let pointer: JSONPointer
        let depth: Int
    }

    static func read(
        _ union: ResolvedSchema.Union, _ outer: ResolvedSchema, translator: SchemaTranslator
    ) -> Outcome {
        var branches: [ResolvedSchema] = []
        var takesNull = false
        var path: [JSONPointer] = []
        var known = [Nested: [ResolvedSchema]]()
        for part in union.parts {
            guard append(part, outer, translator, &path, &known, &branches, &takesNull) else { return .any }
        }
        // A file can also contain any of the texts.
        if branches.contains(where: { $0.format == "binary" && $0.values == nil }),
            branches.allSatisfy({ isText($0, outer) })
        {
            return .shape(.string(.binary), takesNull: takesNull)
        }
        if let values = enumeration(branches, outer) {
            return .values(values.0, values.1, takesNull: takesNull)
        }
        guard branches.allSatisfy({ $0.values == nil && $0.unions.isEmpty && $0.own == nil }) else {
            return .union(takesNull: takesNull)
        }
        let types = branches.reduce(into: RawSchema.Types()) { all, branch in
            all.formUnion(branch.types.isEmpty ? outer.types : branch.types)
        }
        switch types {
        case .string, .integer, .number, [.integer, .number], .boolean:
            var common = ResolvedSchema(pointer: outer.pointer, position: outer.position)
            common.types = types
            let formats = Set(branches.map(\.format))
            if formats.count == 1 {
                common.format = branches.first?.format
            } else if !formats.isDisjoint(with: types == .integer ? ["uint64"] : Self.exactFormats) {
                // No single type of fixed width has all digits of all branches.
                return .shape(.number(.exact), takesNull: takesNull)
            }
            return .shape(translator.shape(ofTypes: common), takesNull: takesNull)
        default:
            return .union(takesNull: takesNull)
        }
    }

    /// Whether the values of a branch are strings.
    private static func isText(_ branch: ResolvedSchema, _ outer: ResolvedSchema) -> Bool {
        guard branch.unions.isEmpty, branch.own == nil else { return false }
        let types = branch.types.isEmpty ? outer.types : branch.types
        return types == .string
            || types.isEmpty && branch.values.map { $0.allSatisfy { $0.string != nil || $0.isNull } } ?? false
    }

    /// Adds a branch; a nested union of scalars adds its branches. Returns false if the branch accepts any value.
    ///
    /// - Parameter known: What nested unions add. Why: each union is read once, however many lead to it.
    private static func append(
        _ part: RawSchema.Part, _ outer: ResolvedSchema, _ translator: SchemaTranslator,
        _ path: inout [JSONPointer], _ known: inout [Nested: [ResolvedSchema]],
        _ branches: inout [ResolvedSchema], _ takesNull: inout Bool
    ) -> Bool {
        if part.isNull {
            takesNull = true
            return true
        }
        guard var branch = translator.resolved(part) else { return false }
        if branch.types.isEmpty, let values = branch.values {
            branch.values = translator.conformed(values, to: outer.types, isNullable: true)
        }
        takesNull = takesNull || branch.isNullable || (branch.values ?? []).contains(where: \.isNull)
        branch.own = translator.ownType(of: part)
        if branch.own != nil {
            branches.append(branch)
            return true
        }
        if branch.acceptsAnyValue, outer.types.isEmpty { return false }
        guard let inner = branch.unions.first, branch.unions.count == 1, branch.properties.isEmpty,
            branch.values == nil, !path.contains(branch.pointer), path.count < 16
        else {
            branches.append(branch)
            return true
        }
        let place = Nested(pointer: branch.pointer, depth: path.count)
        if let added = known[place] {
            add(added, to: &branches)
            return true
        }
        path.append(branch.pointer)
        defer { path.removeLast() }
        var own: [ResolvedSchema] = []
        for part in inner.parts {
            guard append(part, branch, translator, &path, &known, &own, &takesNull) else { return false }
        }
        // A type next to the union also applies to its branches.
        for index in own.indices where own[index].types.isEmpty { own[index].types = branch.types }
        let added = own.allSatisfy({ $0.isScalar }) ? own : [branch]
        known[place] = added
        add(added, to: &branches)
        return true
    }

    /// Adds schemas that are not already there.
    private static func add(_ added: [ResolvedSchema], to branches: inout [ResolvedSchema]) {
        branches += added.filter { new in
            !branches.contains { $0.pointer == new.pointer && $0.types == new.types }
        }
    }

    /// All values, if every branch has an enum, or if the others have the same type (`anyOf: [string, enum]` is an
    /// explicitly open enum).
    private static func enumeration(
        _ branches: [ResolvedSchema], _ outer: ResolvedSchema
    ) -> ([Node], [EnumerationDeclaration.Label])? {
        var values: [Node] = []
        var labels: [EnumerationDeclaration.Label] = []
        var open: RawSchema.Types = []
        for branch in branches {
            guard branch.unions.isEmpty, branch.own == nil else { return nil }
            guard let own = branch.values else {
                open.formUnion(branch.types.isEmpty ? outer.types : branch.types)
                if branch.types.isEmpty, outer.types.isEmpty { return nil }
                continue
            }
            for (offset, value) in own.enumerated() where !value.isNull {
                values.append(value)
                let name = branch.valueNames.count == own.count ? branch.valueNames[offset] : nil
                let isOnly = own.count == 1
                labels.append(
                    .init(
                        name: name ?? (isOnly ? branch.annotations.title : nil),
                        text: isOnly ? branch.annotations.text : nil))
            }
        }
        guard !values.isEmpty else { return nil }
        let areStrings = values.allSatisfy { $0.string != nil }
        let areNumbers = values.allSatisfy { LiteralKey.isInteger($0) }
        guard areStrings || areNumbers else { return nil }
        guard open.isEmpty || open == (areStrings ? .string : .integer) else { return nil }
        return (values, labels)
    }
}

extension RawSchema.Part {
    /// Whether it is only `null`. Schemas made of others are not.
    var isNull: Bool { node.map { UnionIdiom.isNull($0) } ?? false }
}

extension ResolvedSchema {
    /// Whether only strings, numbers and booleans are valid.
    fileprivate var isScalar: Bool {
        let scalars: RawSchema.Types = [.string, .integer, .number, .boolean]
        guard unions.isEmpty, properties.isEmpty, items == nil else { return false }
        if let values { return values.allSatisfy { $0.array == nil && $0.object == nil } }
        return !types.isEmpty && types.isSubset(of: scalars)
    }

    /// Whether any value is valid.
    var acceptsAnyValue: Bool {
        types.isEmpty && values == nil && properties.isEmpty && items == nil && unions.isEmpty
            && additional.isUnsaid && prefix.isEmpty && required.isEmpty && format == nil
    }
}

extension LiteralKey {
    /// The text of a number.
    static func text(of node: Node) -> String? {
        if case .number(let text) = node.value { return text }
        return nil
    }

    static func isInteger(_ node: Node) -> Bool {
        if case .number(let text) = node.value { return Int64(text) != nil }
        return false
    }
}
