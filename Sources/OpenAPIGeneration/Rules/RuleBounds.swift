import GatewayPatterns

/// The rules for the keywords of one schema that bound its values.
struct RuleBounds {
    @Indirect var schema: RawSchema
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
            if text.isPlain, TextPattern(text) != nil { return .bound(bound.rawValue, text) }
            sink.warn(
                .unsupportedSchema,
                "\"pattern\" is not supported; values are not validated against it",
                at: node.position)
            return nil
        default: return nil
        }
    }

    /// The values that are allowed, as a JSON array; nil if any value is allowed.
    private var values: String? {
        guard let list = schema.values, !list.isEmpty else { return nil }
        return Self.array(list.map { Self.json($0.conformed(to: schema.types) ?? $0) })
    }

    private static func array(_ texts: [String]) -> String { "[" + texts.joined(separator: ",") + "]" }

    private static func json(_ value: Node) -> String {
        switch value.value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let text): text
        case .string(let text): json(text)
        case .array(let items): array(items.map { json($0) })
        case .object(let object):
            "{" + object.members.map { json($0.key) + ":" + json($0.value) }.joined(separator: ",") + "}"
        }
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
