/// Reads the keywords of one schema that bound its values.
struct RuleBounds {
    let node: Node
    let sink: DiagnosticSink

    var entries: [RuleEntry] {
        var result: [RuleEntry] = []
        for keyword in [
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
        ] {
            guard let text = number(keyword), let count = Int(text), count >= 0 else { continue }
            // No constraint.
            if keyword.hasPrefix("min"), count == 0 { continue }
            result.append(.bound(keyword, text))
        }
        result += range
        if let step = number("multipleOf") { result.append(.bound("multipleOf", step)) }
        if node["uniqueItems"]?.bool == true { result.append(.bound("uniqueItems", "")) }
        if let pattern { result.append(.bound("pattern", pattern)) }
        if let values { result.append(.values(values)) }
        return result
    }

    /// In OpenAPI 3.0 an exclusive bound is a flag beside the bound.
    private var range: [RuleEntry] {
        var result: [RuleEntry] = []
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
            if let value = number(bound) {
                result.append(.bound(node[exclusive]?.bool == true ? exclusive : bound, value))
            }
            if let value = number(exclusive) { result.append(.bound(exclusive, value)) }
        }
        return result
    }

    private func number(_ keyword: String) -> String? {
        if case .number(let text)? = node[keyword]?.value { return text }
        return nil
    }

    private var pattern: String? {
        guard let member = node["pattern"], let text = member.string else { return nil }
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 }
        if isPlain, (try? Regex(text)) != nil { return text }
        sink.report(
            .warning(
                .unsupportedSchema,
                "\"pattern\" is not supported by Swift Regex; values are not validated against it",
                at: member.position))
        return nil
    }

    /// The values that are allowed, as a JSON array; nil if any value is allowed, or if one cannot be compared.
    private var values: String? {
        let list = node["const"].map { [$0] } ?? node["enum"]?.array
        guard let list, !list.isEmpty else { return nil }
        var texts: [String] = []
        for value in list {
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
