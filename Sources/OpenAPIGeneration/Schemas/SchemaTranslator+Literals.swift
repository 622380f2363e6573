extension SchemaTranslator {
    /// The values of `enum` or `const` in the types that are declared for them; unchanged if there are none.
    ///
    /// In YAML, text without quotes has the form of a number or a boolean by chance: `enum: [1.10, no, false]` are three
    /// strings if `type` says so. Any other literal of another type is reported.
    func conformed(_ literals: [Node], to types: RawSchema.Types, isNullable: Bool) -> [Node] {
        guard !types.isEmpty else { return literals }
        let allowed = isNullable ? types.union(.null) : types
        var isReported = false
        return literals.map { literal in
            let result = literal.conformed(to: allowed)
            let isExpected = result.map { $0.kind == literal.kind || literal.spelling != nil } ?? false
            if !isExpected, !isReported {
                isReported = true
                let consequence = result.map { "it is read as \($0.kind)" } ?? "the literal takes precedence"
                sink.warn(
                    .conflictingSchema,
                    "\"type\" is \(types.words), but a literal is \(literal.kind); \(consequence)",
                    at: literal.position)
            }
            return result ?? literal
        }
    }

    /// The shape of numbers that are not all integers of 64 bits.
    func number(of literals: [Node], _ flat: ResolvedSchema) -> Schema.Shape {
        let areLarge = literals.contains { literal in
            guard let text = LiteralKey.text(of: literal) else { return false }
            return LiteralKey.isInteger(text) && Int64(text) == nil
        }
        return .number(numberFormat(flat.format, isExact: areLarge || flat.types.contains(.integer)))
    }
}

extension Node {
    /// A literal as a value of one of `types`: unchanged, or the value with the same text. Nil if there is none.
    func conformed(to types: RawSchema.Types) -> Node? {
        guard let value = converted(to: types) else { return nil }
        return Node(value: value, position: position, spelling: spelling)
    }

    private func converted(to types: RawSchema.Types) -> Value? {
        switch value {
        case .null where types.contains(.null), .bool where types.contains(.boolean),
            .number where types.contains(.number), .string where types.contains(.string),
            .array where types.contains(.array), .object where types.contains(.object):
            return value
        default: break
        }
        guard let text else { return nil }
        if !types.isDisjoint(with: [.integer, .number]), let number = YAMLScalar.number(text) {
            if types.contains(.number) { return .number(number) }
            if let integer = LiteralKey.integer(number) { return .number(integer) }
        }
        if types.contains(.boolean), let flag = Bool(text) { return .bool(flag) }
        return types.contains(.string) ? .string(text) : nil
    }
}

extension LiteralKey {
    /// The text of a number without a fraction, such as `1` for `1.0`. Nil for other numbers.
    fileprivate static func integer(_ number: String) -> String? {
        if isInteger(number) { return number }
        return Double(number).flatMap { Int64(exactly: $0) }.map { String($0) }
    }

    /// Whether a number has neither a fraction nor an exponent.
    fileprivate static func isInteger(_ number: String) -> Bool {
        number.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }
}
