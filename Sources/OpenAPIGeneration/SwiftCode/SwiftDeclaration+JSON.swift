extension SwiftDeclaration {
    /// What callers can use of the declarations, as a JSON array.
    static func json(_ declarations: [SwiftDeclaration], in namespace: String) -> String {
        JSONText.array(declarations.filter(\.isUsable).map { $0.json(in: namespace) })
    }

    /// A JSON object with `kind` and, except for initializers, `name`, as they are written in Swift. The other members
    /// depend on the kind.
    func json(in namespace: String) -> String {
        func quoted(_ node: (some SwiftNode)?) -> String? {
            node.map { JSONText.quoted($0.text(in: namespace)) }
        }
        var members: [(name: String, value: String?)] = [
            ("kind", JSONText.quoted(kind)), ("name", name.map { JSONText.quoted($0) }),
            ("key", key.map { JSONText.quoted($0) }),
        ]
        switch signature {
        case .none: break
        case .type(let conformances):
            members.append(("conformances", JSONText.array(conformances.map { JSONText.quoted($0) })))
        case .variable(let type, _): members.append(("type", quoted(type)))
        case .function(let parameters, let isAsync, let error, let result):
            members.append(("parameters", JSONText.array(parameters.map { $0.json(in: namespace) })))
            members.append(("isAsync", isAsync ? "true" : nil))
            members.append(("throws", quoted(error)))
            members.append(("returns", quoted(result)))
        case .value(let value): members.append(("value", quoted(value)))
        }
        if case .members(let groups) = body {
            members.append(("members", Self.json(groups.flatMap { $0 }, in: namespace)))
        }
        return JSONText.object(members)
    }

    private var words: [String] { head.split(separator: " ").map { String($0) } }

    private var kind: String {
        let words = words
        return words.count > 1 ? words[words.count - 2] : head.filter { $0 != "?" }
    }

    private var name: String? { words.count > 1 ? words.last : nil }

    /// Extensions and cases have no access level of their own.
    private var isUsable: Bool {
        if case .mark = body { return false }
        return isVisible || ["extension", "case"].contains(kind)
    }
}

extension SwiftDeclaration.Parameter {
    fileprivate func json(in namespace: String) -> String {
        let words = (name ?? "").split(separator: " ").map { String($0) }
        return JSONText.object([
            ("label", words.first.map { JSONText.quoted($0) }),
            ("name", words.last.map { JSONText.quoted($0) }),
            ("type", JSONText.quoted(type.text(in: namespace))),
            ("default", fallback.map { JSONText.quoted($0.text(in: namespace)) }),
        ])
    }
}
