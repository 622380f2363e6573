import GatewaySuggestions

/// Reads a configuration file by the table of keys. Unknown keys are errors.
struct ConfigurationReader {
    let sink: DiagnosticSink

    /// The tree of a configuration file. Syntax errors are reported as configuration errors.
    static func tree(
        _ bytes: [UInt8], path: String, file: UInt32, sink: DiagnosticSink
    ) throws(Diagnostic) -> Node {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
        let hasContent = lines.contains { line in
            (line.first { $0 > 0x20 }).map { $0 != UInt8(ascii: "#") } ?? false
        }
        guard hasContent else { return Node(value: .null, position: .start(of: file)) }
        return try DocumentReader.read(bytes, path: path, file: file, sink: sink)
    }

    func read(_ root: Node) -> Configuration {
        var configuration = Configuration()
        // An empty file is a valid configuration.
        if root.isNull { return configuration }
        read(root, prefix: "", into: &configuration)
        return configuration
    }

    private func read(_ node: Node, prefix: String, into configuration: inout Configuration) {
        guard let object = node.object else {
            let what = prefix.isEmpty ? "a configuration" : "\"\(prefix.dropLast())\""
            report("\(what) must be a mapping, found \(node.kind)", at: node.position)
            return
        }
        var known: [String] = []
        for key in ConfigurationKey.all where key.path.hasPrefix(prefix) {
            let name = String(key.path.dropFirst(prefix.count).prefix { $0 != "." })
            if !known.contains(name) { known.append(name) }
        }
        if prefix == "include." { configuration.include = Configuration.Filter() }
        for member in object.members {
            guard known.contains(member.key) else {
                report(
                    "unknown key \"\(prefix + member.key)\"" + Suggestion.text(member.key, of: known),
                    at: member.keyPosition)
                continue
            }
            let path = prefix + member.key
            if let key = ConfigurationKey.all.first(where: { $0.path == path }) {
                if isValid(member.value, for: key) { key.set(self, member.value, &configuration) }
            } else {
                read(member.value, prefix: path + ".", into: &configuration)
            }
        }
    }

    private func report(_ message: String, at position: SourcePosition) {
        sink.fail(.configuration, message, at: position)
    }

    private func isValid(_ node: Node, for key: ConfigurationKey) -> Bool {
        switch key.kind {
        case .text: return isText(node, key.path)
        case .flag: return isFlag(node, key.path)
        case .choice(let words): return isText(node, key.path) && isWord(node, of: words, key.path)
        case .list:
            guard let items = node.array else {
                return refuse("\"\(key.path)\" must be a list, found \(node.kind)", node)
            }
            return items.reduce(true) { isText($1, "an item of \(key.path)") && $0 }
        case .map(let words):
            return each(node, key) {
                isText($0.value, $0.key) && (words.isEmpty || isWord($0.value, of: words, $0.key))
            }
        case .types(let words): return each(node, key) { isType($0.value, of: words, $0.key, in: key) }
        case .scope(let words):
            if node.object != nil {
                return each(node, key) {
                    isText($0.value, $0.key) && isWord($0.value, of: words.suffix(1), $0.key)
                }
            }
            guard node.string != nil else {
                return refuse("\"\(key.path)\" must be a string or a mapping, found \(node.kind)", node)
            }
            return isWord(node, of: words, key.path)
        case .flags: return each(node, key) { isFlag($0.value, $0.key) }
        case .objects(let keys):
            return each(node, key) { member in
                if member.value.bool == false { return true }
                guard let object = member.value.object else {
                    return refuse(
                        "\"\(member.key)\" must be false or a mapping, found \(member.value.kind)",
                        member.value)
                }
                return object.members.reduce(true) { result, inner in
                    guard keys.contains(inner.key) else {
                        report(
                            "unknown key \"\(key.path).\(member.key).\(inner.key)\""
                                + Suggestion.text(inner.key, of: keys), at: inner.keyPosition)
                        return false
                    }
                    let kinds = PaginationOverride.Kind.allCases.map(\.rawValue)
                    return isText(inner.value, inner.key)
                        && (inner.key != "kind" || isWord(inner.value, of: kinds, inner.key)) && result
                }
            }
        }
    }

    @inline(never)
    private func each(
        _ node: Node, _ key: ConfigurationKey, _ isValid: (Node.Object.Member) -> Bool
    ) -> Bool {
        guard let object = node.object else {
            return refuse("\"\(key.path)\" must be a mapping, found \(node.kind)", node)
        }
        return object.members.reduce(true) { isValid($1) && $0 }
    }

    private func isText(_ node: Node, _ name: String) -> Bool {
        if let text = node.string {
            return text.isEmpty ? refuse("\"\(name)\" must not be empty", node) : true
        }
        return refuse("\"\(name)\" must be a string, found \(node.kind)", node)
    }

    private func isFlag(_ node: Node, _ name: String) -> Bool {
        node.bool != nil ? true : refuse("\"\(name)\" must be true or false, found \(node.kind)", node)
    }

    private func isWord(_ node: Node, of words: [String], _ name: String) -> Bool {
        let word = node.string ?? ""
        if words.contains(word) { return true }
        return refuse(
            "\"\(name)\" must be one of \(words.joined(separator: ", ")), not \"\(word)\""
                + Suggestion.text(word, of: words), node)
    }

    /// A builtin type, or a type of the user. One without a module that is close to a builtin type is a mistake, unless it
    /// is in an object.
    private func isType(
        _ node: Node, of words: [String], _ name: String, in key: ConfigurationKey
    ) -> Bool {
        if let object = node.object {
            for inner in object.members where !OwnType.keys.contains(inner.key) {
                report(
                    "unknown key \"\(key.path).\(name).\(inner.key)\""
                        + Suggestion.text(inner.key, of: OwnType.keys), at: inner.keyPosition)
                return false
            }
            guard let type = node["type"] else {
                return refuse("\"\(name)\" must have \"type\"", node)
            }
            let codings = OwnType.Coding.allCases.map(\.rawValue)
            if let coding = node["coding"],
                !isText(coding, "coding") || !isWord(coding, of: codings, "coding")
            {
                return false
            }
            return isText(type, "type") && isOwnType(type)
        }
        guard isText(node, name), let text = node.string else { return false }
        let isNear = words.contains { $0.lowercased() == text.lowercased() }
        if isNear || Suggestion.nearest(to: text, of: words, limit: { _ in 1 }) != nil {
            return isWord(node, of: words, name)
        }
        return isOwnType(node)
    }

    private func isOwnType(_ node: Node) -> Bool {
        guard let type = OwnType(node) else {
            return refuse(
                "\"\(node.string ?? "")\" is not the name of a Swift type, such as Money, or Payments.Money with its module",
                node)
        }
        guard !SwiftName.reservedTypes.contains(type.root) else {
            return refuse(
                "generated code uses the name \"\(type.root)\" for another type; "
                    + (type.module == nil
                        ? "write it with its module, or use a type alias"
                        : "use a type alias in another module"),
                node)
        }
        return true
    }

    private func refuse(_ message: String, _ node: Node) -> Bool {
        report(message, at: node.position)
        return false
    }
}

extension ConfigurationReader {
    func name(_ node: Node, _ configuration: inout Configuration) {
        let name = node.string ?? ""
        guard Generator.isValid(namespace: name) else {
            return report(
                "\"\(name)\" is not a valid client name; use an UpperCamelCase identifier such as Petstore",
                at: node.position)
        }
        configuration.name = name
    }

    /// The values of a mapping with the positions of their keys.
    func entries<Value: Sendable>(
        _ node: Node, at place: (String) -> String = { $0 }, _ value: (Node) -> Value?
    ) -> [String: Configuration.Entry<Value>] {
        var result = [String: Configuration.Entry<Value>]()
        for member in node.members {
            guard let value = value(member.value) else { continue }
            result[place(member.key)] = .init(value: value, position: member.keyPosition)
        }
        return result
    }

    func patterns(_ node: Node) -> [Configuration.Filter.Pattern] {
        (node.array ?? []).map { .init(text: $0.string ?? "", position: $0.position) }
    }

    func texts(_ node: Node) -> [Configuration.Entry<String>] {
        (node.array ?? []).map { .init(value: $0.string ?? "", position: $0.position) }
    }

    func names(_ node: Node, _ configuration: inout Configuration) {
        for member in node.members {
            let name = member.value.string ?? ""
            guard SwiftName.isIdentifier(name) else {
                report("\"\(name)\" is not a valid Swift name", at: member.value.position)
                continue
            }
            configuration.names[place(member.key)] = .init(value: name, position: member.keyPosition)
        }
    }

    func scope(_ node: Node, word: String) -> SchemaScope {
        guard node.object != nil else { return node.string == word ? .all : .none }
        return .schemas(
            Dictionary(node.members.map { (place($0.key), $0.keyPosition) }) { first, _ in first })
    }

    /// A JSON pointer as the generator writes it, with or without `#` in the file.
    func place(_ pointer: String) -> String {
        pointer.hasPrefix("#") ? pointer : "#" + pointer
    }

    func levels(_ node: Node, _ configuration: inout Configuration) {
        let rules = Diagnostic.Rule.all.map(\.name)
        for member in node.members {
            guard rules.contains(member.key) else {
                report(
                    "unknown rule \"\(member.key)\"" + Suggestion.text(member.key, of: rules),
                    at: member.keyPosition)
                continue
            }
            configuration.levels[member.key] = DiagnosticLevel(rawValue: member.value.string ?? "")
        }
    }
}
