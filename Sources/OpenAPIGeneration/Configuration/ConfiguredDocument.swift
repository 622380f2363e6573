import GatewaySuggestions

/// Applies a configuration to the document, so that later stages do not depend on the configuration.
struct ConfiguredDocument {
    let configuration: Configuration
    let sink: DiagnosticSink

    /// The document with the configuration applied.
    func apply(to root: Node) -> Node {
        var root = root
        if configuration.include != nil || !configuration.exclude.isEmpty {
            root = DocumentFilter(
                include: configuration.include, exclude: configuration.exclude, sink: sink
            ).apply(to: root)
        }
        root = withTypes(root)
        if !configuration.formats.isEmpty {
            var formats = FormatOverride(configuration.formats.mapValues(\.value), sink)
            root = formats.apply(to: root)
            checkFormats(formats.ownFormats)
        }
        root = withOperations(root)
        if !configuration.security.isEmpty { root = withSecurity(root) }
        return root
    }

    private func warn(_ message: String, at position: SourcePosition) {
        sink.warn(.configuration, message, at: position)
    }

    /// Replaces schemas that have a configured Swift type.
    private func withTypes(_ root: Node) -> Node {
        configuration.types.sorted { $0.key < $1.key }.reduce(root) { root, entry in
            let steps = Self.steps(entry.key, in: root)
            switch entry.value.value {
            case .builtin(let type):
                guard let steps else {
                    warn("\"\(entry.key)\" is not in the document", at: entry.value.position)
                    return root
                }
                return root.changing(steps[...]) { Self.schema(of: type, for: $0) } ?? root
            case .own(let type):
                guard let steps, Self.isSchema(steps) else {
                    let reason = steps == nil ? "is not in the document" : "is not a schema"
                    sink.fail(
                        .configuration, "\"\(entry.key)\" \(reason): \"\(type.name)\" cannot be used",
                        at: entry.value.position)
                    return root
                }
                return root.changing(steps[...]) { schema in
                    cover(schema)
                    return schema.marked(as: type, at: entry.value.position)
                } ?? root
            }
        }
    }

    private static func isSchema(_ steps: [JSONPath.Step]) -> Bool {
        var role = NodeRole.object(.document)
        for step in steps {
            switch step {
            case .key(let key): role = role.member(key)
            default: role = role.element
            }
        }
        return role.canBe(.schema)
    }

    /// The shape of a schema with a type of the user is not generated: what falls back in it is not reported.
    private func cover(_ node: Node) {
        sink.cover(node.position)
        for member in node.members { cover(member.value) }
        for item in node.array ?? [] { cover(item) }
    }

    /// Reports the formats with a type of the user that no schema has.
    private func checkFormats(_ found: Set<String>) {
        for (format, entry) in configuration.formats.sorted(by: { $0.key < $1.key })
        where entry.value.own != nil && !found.contains(format) {
            warn("no schema has the format \"\(format)\"", at: entry.position)
        }
    }

    /// The schema of a type, with the annotations and nullability of another schema.
    private static func schema(of type: BuiltinType, for node: Node) -> Node {
        let kept: Set<String> = [
            "title", "description", "deprecated", "readOnly", "writeOnly", "default", "nullable",
        ]
        var result = node.filter { kept.contains($0.key) }
        if let name = type.type {
            let word = Node(value: .string(name), position: node.position)
            let takesNull = node["type"]?.array?.contains { $0.string == "null" } ?? false
            let null = Node(value: .string("null"), position: node.position)
            result = result.setting(
                "type", to: takesNull ? Node(value: .array([word, null]), position: node.position) : word)
        }
        if let format = type.format {
            result = result.setting("format", to: Node(value: .string(format), position: node.position))
        }
        return result
    }

    /// The steps of a JSON Pointer. Nil if it is not in the document.
    private static func steps(_ pointer: String, in root: Node) -> [JSONPath.Step]? {
        let text = pointer.hasPrefix("#") ? String(pointer.dropFirst()) : pointer
        guard text.hasPrefix("/"), let fragment = PercentCoding.decoded(text) else { return nil }
        var node = root
        var steps: [JSONPath.Step] = []
        for token in JSONPointer.tokens(of: fragment) {
            if let next = node[token] {
                node = next
                steps.append(.key(token))
            } else if let items = node.array, let index = JSONPointer.index(token), index < items.count {
                node = items[index]
                steps.append(.index(index))
            } else {
                return nil
            }
        }
        return steps
    }

    /// Applies names of operations and idempotency keys.
    private func withOperations(_ root: Node) -> Node {
        var root = root
        for (pointer, entry) in configuration.names.sorted(by: { $0.key < $1.key }) {
            guard let steps = Self.steps(pointer, in: root) else {
                warn("\"\(pointer)\" is not in the document", at: entry.position)
                continue
            }
            guard case .key("paths")? = steps.first, steps.count == 3 else { continue }
            let id = Node(value: .string(entry.value), position: entry.position)
            root = root.changing(steps[...]) { $0.setting("operationId", to: id) } ?? root
        }
        var found = Set<String>()
        guard !configuration.idempotency.isEmpty, let paths = root["paths"] else { return root }
        for path in paths.members {
            for method in path.value.members {
                guard let id = method.value["operationId"]?.text, let entry = configuration.idempotency[id]
                else { continue }
                found.insert(id)
                let steps: [JSONPath.Step] = [.key("paths"), .key(path.key), .key(method.key)]
                root = root.changing(steps[...]) { withKey($0, entry, in: root) } ?? root
            }
        }
        for (id, entry) in configuration.idempotency.sorted(by: { $0.key < $1.key }) where !found.contains(id)
        {
            warn("no operation has the operationId \"\(id)\"", at: entry.position)
        }
        return root
    }

    private func withKey(_ operation: Node, _ entry: Configuration.Entry<Bool>, in root: Node) -> Node {
        let resolver = ReferenceResolver(root: root)
        let all = operation["parameters"]?.array ?? []
        let others = all.filter { parameter in
            let target = try? resolver.final(parameter, at: .root).node
            return target?["name"]?.text?.lowercased() != "idempotency-key"
        }
        // A documented key keeps the form that the document defines.
        if entry.value, others.count < all.count { return operation }
        func text(_ value: String) -> Node { Node(value: .string(value), position: entry.position) }
        let key = Node(
            [
                ("name", text("Idempotency-Key")), ("in", text("header")),
                ("schema", Node([("type", text("string"))], at: entry.position)),
            ], at: entry.position)
        return operation.setting(
            "parameters",
            to: Node(
                value: .array(entry.value ? others + [key] : others),
                position: operation["parameters"]?.position ?? operation.position))
    }

    /// Moves alternatives that use only preferred schemes to the front.
    private func withSecurity(_ root: Node) -> Node {
        let preferred = configuration.security.map(\.value)
        let known = (root["components"]?["securitySchemes"]?.members ?? []).map(\.key)
        for entry in configuration.security
        where !known.contains(where: { $0.isSame(as: entry.value) }) {
            warn(
                "unknown security scheme \"\(entry.value)\"" + Suggestion.text(entry.value, of: known),
                at: entry.position)
        }
        func rank(_ alternative: Node) -> Int {
            let ranks = alternative.members.map { member in
                preferred.firstIndex { $0.isSame(as: member.key) } ?? preferred.count
            }
            return ranks.max() ?? preferred.count
        }
        func ordered(_ node: Node) -> Node {
            guard let items = node["security"]?.array else { return node }
            let sorted = items.enumerated().sorted {
                (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
            }.map(\.element)
            let position = node["security"]?.position ?? node.position
            return node.setting("security", to: Node(value: .array(sorted), position: position))
        }
        var result = ordered(root)
        for section in ["paths", "webhooks"] {
            guard let paths = root[section] else { continue }
            result = result.setting(section, to: paths.mapValues { $0.value.mapValues { ordered($0.value) } })
        }
        return result
    }
}

extension Configuration.Filter {
    var isEmpty: Bool { tags.isEmpty && paths.isEmpty && operations.isEmpty && schemas.isEmpty }
}
