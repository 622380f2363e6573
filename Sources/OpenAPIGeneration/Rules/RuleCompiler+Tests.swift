import GatewayPatterns

extension RuleCompiler {
    /// The entries of `not`, `contains`, `propertyNames`, `if` and the dependent keywords.
    ///
    /// A schema that decides whether a value is valid must be compared by all of its keywords. If it has one that is not
    /// compared, the keyword is reported and not validated.
    ///
    /// - Parameter names: Those of the members of the value.
    func testEntries(of node: Node, at place: JSONPointer, _ names: MemberNames) -> [RuleEntry] {
        var result: [RuleEntry] = []
        func row(_ keyword: String, _ test: RuleEntry.Test) {
            guard let schema = node[keyword] else { return }
            let isOfValue = test != .contains && test != .propertyNames
            let part = RawSchema.Part(node: schema, pointer: place.appending(keyword))
            result.append(.test(test, testRow(part, isOfValue ? names : nil)))
        }
        if decides("not", in: node) { row("not", .not) }
        if decides("contains", in: node) {
            row("contains", .contains)
            for keyword in ["minContains", "maxContains"] {
                if case .number(let text)? = node[keyword]?.value { result.append(.bound(keyword, text)) }
            }
        }
        if decides("propertyNames", in: node) { row("propertyNames", .propertyNames) }
        if node["then"] != nil || node["else"] != nil, decides("if", in: node) {
            row("if", .condition)
            row("then", .then)
            row("else", .otherwise)
        }
        for member in node["dependentSchemas"]?.members ?? [] where member.key.isPlain {
            let place = place.appending("dependentSchemas").appending(member.key)
            let part = RawSchema.Part(node: member.value, pointer: place)
            result.append(.dependent(testRow(part, names), member.key))
        }
        for member in node["dependentRequired"]?.members ?? [] where member.key.isPlain {
            let names = (member.value.array ?? []).compactMap(\.text)
                .filter { $0.isPlain && !names.readOnly.contains($0) }
            guard !names.isEmpty else { continue }
            result.append(.dependent(testRow(requiring: names), member.key))
        }
        return result
    }

    private func decides(_ keyword: String, in node: Node) -> Bool {
        guard let schema = node[keyword] else { return false }
        if isCompared(schema) { return true }
        sink.warn(
            .unsupportedSchema,
            "\"\(keyword)\" has keywords that are not compared; values are not validated against it",
            at: schema.position)
        return false
    }

    private static let compared: Set<String> = [
        "$ref", "type", "nullable", "enum", "const", "required", "properties", "items", "prefixItems",
        "allOf",
        "anyOf", "not", "title", "description", "default", "example", "examples", "deprecated", "readOnly",
        "writeOnly", "format", "$comment",
    ]

    /// Whether all keywords of a schema are compared.
    func isCompared(_ node: Node) -> Bool {
        var seen = Set<SourcePosition>()
        return isCompared(node, &seen)
    }

    private func isCompared(_ node: Node, _ seen: inout Set<SourcePosition>) -> Bool {
        guard seen.insert(node.position).inserted else { return true }
        if node.bool != nil { return true }
        func areCompared(_ nodes: [Node]) -> Bool {
            nodes.allSatisfy { isCompared($0, &seen) }
        }
        guard node.object != nil else { return false }
        for member in node.members {
            let value = member.value
            switch member.key {
            case "$ref":
                guard let text = value.string,
                    let target = try? resolver.target(of: text, at: value.position),
                    isCompared(target.node, &seen)
                else { return false }
            case "pattern":
                guard let text = value.string, text.isPlain, TextPattern(text) != nil else {
                    return false
                }
            case "items", "not", "propertyNames": guard areCompared([value]) else { return false }
            case "properties":
                guard value.members.allSatisfy({ $0.key.isPlain }),
                    areCompared(value.members.map(\.value))
                else { return false }
            case "allOf", "anyOf", "prefixItems":
                guard areCompared(value.array ?? []) else { return false }
            default:
                let isKnown =
                    Self.compared.contains(member.key) || Bound(rawValue: member.key) != nil
                    || member.key.hasPrefix("x-")
                guard isKnown else { return false }
            }
        }
        return true
    }
}
