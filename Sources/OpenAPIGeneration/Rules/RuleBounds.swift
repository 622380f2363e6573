import GatewayPatterns

/// The rules for the keywords of one schema that bound its values.
struct RuleBounds {
    let schema: RawSchema
    let sink: DiagnosticSink

    var entries: [RuleEntry] {
        Bound.allCases.compactMap { entry($0) } + (values.map { [.values($0)] } ?? [])
    }

    private func entry(_ bound: Bound) -> RuleEntry? {
        guard let node = schema.bounds[bound] else { return nil }
        switch (bound.form, node.value) {
        case (.count, .number(let text)):
            // `minLength: 0` has no effect.
            guard let count = Int(text), count > 0 || (count == 0 && bound.isLower == false) else {
                return nil
            }
            return .bound(bound.rawValue, text)
        case (.number, .number(let text)):
            let exclusive = bound.exclusive.flatMap { schema.bounds[$0]?.bool == true ? $0 : nil }
            return .bound((exclusive ?? bound).rawValue, text)
        case (.flag, .bool(true)): return .bound(bound.rawValue, "")
        case (.pattern, .string(let text)):
            let isPlain = text.utf8.allSatisfy { $0 >= 0x20 }
            if isPlain, TextPattern(text) != nil { return .bound(bound.rawValue, text) }
            sink.warn(
                .unsupportedSchema,
                "\"pattern\" is not supported; values are not validated against it",
                at: node.position)
            return nil
        default: return nil
        }
    }

    /// The values that are allowed, as a JSON array; nil if any value is allowed, or if one cannot be compared.
    private var values: String? {
        guard let list = schema.values, !list.isEmpty else { return nil }
        var texts: [String] = []
        for value in list.map({ $0.conformed(to: schema.types) ?? $0 }) {
            switch value.value {
            case .null: texts.append("null")
            case .bool(let flag): texts.append(flag ? "true" : "false")
            case .number(let text): texts.append(text)
            case .string(let text): texts.append(Self.json(text))
            case .array, .object: return nil
            }
        }
        return "[" + texts.joined(separator: ",") + "]"
    }

    /// A JSON string without any character that ends a line or an entry.
    private static func json(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
