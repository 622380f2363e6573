import GatewayPatterns

/// Compares two versions of one operation.
struct OperationDiff {
    @Indirect var old: DiffDocument
    @Indirect var new: DiffDocument
    let before: DiffOperation
    let after: DiffOperation
    let list: ChangeList
    let schemas: SchemaDiff

    /// Reports all changes. Returns whether the operation was renamed.
    func compare() -> Bool {
        compareParameters()
        compareCalls()
        compareBody()
        compareResponses()
        compareSecurity()
        EventDiff(old: old, new: new, list: list, schemas: schemas, kind: "callback")
            .compare(old.callbacks(of: before), new.callbacks(of: after))
        if before.node["deprecated"]?.bool != true, after.node["deprecated"]?.bool == true {
            list.report("operation-deprecated", place, "\(after.title) became deprecated")
        }
        return compareNames()
    }

    private var place: DiffPlace { .new(after.pointer, after.node) }

    private func compareNames() -> Bool {
        var isRenamed = false
        let ids = (before.node["operationId"]?.text, after.node["operationId"]?.text)
        if ids.0.map({ ExactText($0) }) != ids.1.map({ ExactText($0) }) {
            isRenamed = true
            list.report(
                "operation-id-changed", place,
                "\"operationId\" changed from \(ids.0 ?? "none") to \(ids.1 ?? "none")", swift: true)
        }
        let tags = (before.node["tags"]?.array?.first?.text, after.node["tags"]?.array?.first?.text)
        if tags.0.map({ ExactText($0) }) != tags.1.map({ ExactText($0) }) {
            isRenamed = true
            list.report(
                "operation-tag-changed", place,
                "the first tag changed from \(tags.0 ?? "none") to \(tags.1 ?? "none")", swift: true)
        }
        let shapes = (templateNames(before.path), templateNames(after.path))
        for (first, second) in zip(shapes.0, shapes.1) where !first.isSame(as: second) {
            list.report(
                "path-parameter-renamed", place,
                "the path parameter \"\(first)\" was renamed to \"\(second)\"", swift: true)
        }
        return isRenamed || before.path != after.path
    }

    /// The order of the arguments, and the servers.
    private func compareCalls() {
        guard let first = old.calls[before.pointer], let second = new.calls[after.pointer] else { return }
        let common = first.arguments.filter { second.arguments.contains($0) }
        let order = second.arguments.filter { common.contains($0) }
        if order != common {
            list.report(
                "arguments-reordered", place,
                "the order of the arguments changed to \(order.joined(separator: ", "))", swift: true)
        }
        guard !first.servers.isEmpty || !second.servers.isEmpty else { return }
        func targets(_ call: DiffCall, in document: DiffDocument) -> [APIServer.Target] {
            (call.servers.isEmpty ? document.servers.plans.map(\.server) : call.servers).map(\.target)
        }
        let (used, served) = (targets(first, in: old), targets(second, in: new))
        guard used != served else { return }
        let isServed = used.allSatisfy { served.contains($0) }
        list.report(
            isServed ? "operation-server-added" : "operation-server-removed", place,
            isServed ? "the operation has further servers" : "a server of the operation was removed",
            request: !isServed)
    }

    private func templateNames(_ path: String) -> [String] { PathTemplate.names(path) }

    // MARK: - Parameters

    private struct Located {
        let node: Node
        let pointer: JSONPointer
        var name: String { node["name"]?.text ?? "" }
        var location: String { node["in"]?.string ?? "" }
        var isRequired: Bool { location == "path" || node["required"]?.bool ?? false }
        var title: String { "the \(location) parameter \"\(name)\"" }
    }

    /// The parameters of an operation by location and name; path parameters by their order in the path.
    private func parameters(of operation: DiffOperation, in document: DiffDocument) -> [ExactText: Located] {
        var result = [ExactText: Located]()
        let names = templateNames(operation.path)
        for (node, pointer) in [
            (operation.item.node["parameters"], operation.item.pointer.appending("parameters")),
            (operation.node["parameters"], operation.source.appending("parameters")),
        ] {
            for (offset, item) in (node?.array ?? []).enumerated() {
                let target = document.final(item, at: pointer.appending(offset))
                let located = Located(node: target.node, pointer: target.pointer)
                // OpenAPI ignores these parameters.
                if located.location == "header",
                    ["accept", "content-type", "authorization"].contains(located.name.lowercased())
                {
                    continue
                }
                var key = located.location + " " + located.name
                if located.location == "header" { key = key.lowercased() }
                if located.location == "path",
                    let index = names.firstIndex(where: { $0.isSame(as: located.name) })
                {
                    key = "path \(index)"
                }
                result[key] = located
            }
        }
        return result
    }

    private func compareParameters() {
        let first = parameters(of: before, in: old)
        let second = parameters(of: after, in: new)
        for (key, parameter) in first.sorted(by: { $0.key < $1.key }) {
            guard let other = second[key] else {
                // The server ignores the parameter from now on.
                list.report(
                    "parameter-removed", .old(parameter.pointer, parameter.node),
                    "\(parameter.title) was removed", request: true, swift: true)
                continue
            }
            compare(parameter, other)
        }
        for (key, parameter) in second.sorted(by: { $0.key < $1.key }) where first[key] == nil {
            let isRequired = parameter.isRequired
            list.report(
                isRequired ? "required-parameter-added" : "parameter-added",
                .new(parameter.pointer, parameter.node),
                "\(parameter.title) was added\(isRequired ? " and is required" : "")", request: isRequired,
                swift: isRequired)
        }
    }

    private func compare(_ old: Located, _ new: Located) {
        let place = DiffPlace.new(new.pointer, new.node)
        if !old.isRequired, new.isRequired {
            list.report(
                "parameter-became-required", place, "\(new.title) became required", request: true, swift: true
            )
        }
        if old.isRequired, !new.isRequired {
            // Optional arguments follow required ones: the order of the arguments changes.
            list.report("parameter-became-optional", place, "\(new.title) became optional", swift: true)
        }
        if old.node["deprecated"]?.bool != true, new.node["deprecated"]?.bool == true {
            list.report("parameter-deprecated", place, "\(new.title) became deprecated")
        }
        let styles = (style(old), style(new))
        if styles.0 != styles.1 {
            list.report(
                "parameter-style-changed", place,
                "the style of \(new.title) changed from \(styles.0) to \(styles.1)", request: true)
        }
        func part(_ located: Located) -> RawSchema.Part? {
            if let schema = located.node["schema"] {
                return .init(node: schema, pointer: located.pointer.appending("schema"))
            }
            return BodyContent.preferred(.init(node: located.node, pointer: located.pointer))?.schema
        }
        if let first = part(old), let second = part(new) { schemas.compare(first, second, .request) }
        guard new.location == "querystring", styles.0 == styles.1 else { return }
        compareEncodings(
            of: styles.1, .init(node: old.node, pointer: old.pointer),
            .init(node: new.node, pointer: new.pointer))
    }

    /// The serialization style, with defaults filled in.
    private func style(_ parameter: Located) -> String {
        if let type = parameter.node["content"]?.members.first?.key { return type }
        let location = Parameter.Location(rawValue: parameter.location) ?? .query
        let style = parameter.node["style"]?.string ?? location.style.rawValue
        let explode =
            parameter.node["explode"]?.bool ?? ParameterStyle(rawValue: style)?.isExploded ?? false
        return style + (explode ? ", exploded" : "")
    }

    // MARK: - Security

    private func compareSecurity() {
        let first = alternatives(before, in: old)
        let second = alternatives(after, in: new)
        guard first != second else { return }
        // Each old alternative must satisfy a new one.
        let isServed = first.allSatisfy { have in
            second.contains { need in
                need.allSatisfy { scheme, scopes in have[scheme].map { scopes.isSubset(of: $0) } ?? false }
            }
        }
        list.report(
            isServed ? "security-loosened" : "security-tightened", place,
            isServed ? "additional credentials are accepted" : "some credentials are no longer accepted",
            request: !isServed)
    }

    /// The alternatives, each a mapping of schemes to scopes. One empty mapping if no credentials are required.
    private func alternatives(
        _ operation: DiffOperation, in document: DiffDocument
    ) -> [[ExactText: Set<ExactText>]] {
        let node = operation.node["security"] ?? document.root["security"]
        let defined = document.root["components"]?["securitySchemes"]
        let result = (node?.array ?? []).compactMap { alternative -> [ExactText: Set<ExactText>]? in
            // Clients skip these alternatives.
            guard alternative.members.allSatisfy({ defined?[$0.key] != nil }) else { return nil }
            var schemes = [ExactText: Set<ExactText>]()
            for member in alternative.members {
                schemes[member.key] = Set(texts: (member.value.array ?? []).compactMap(\.text))
            }
            return schemes
        }
        return result.isEmpty ? [[:]] : result
    }
}
