import GatewaySuggestions

/// Removes excluded operations and schemas from a document, then all components that are no longer used.
struct DocumentFilter {
    let include: Configuration.Filter?
    let exclude: Configuration.Filter
    let sink: DiagnosticSink

    private static let methods = Set(Operation.methods.map(\.1))

    /// The filtered document.
    func apply(to root: Node) -> Node {
        var matched = Set<SourcePosition>()
        var result = root
        for section in ["paths", "webhooks"] {
            guard let paths = root[section], paths.object != nil else { continue }
            let kept = paths.members.compactMap { member -> Node.Object.Member? in
                if member.key.hasPrefix("x-") { return member }
                let item = filtered(member, in: root, &matched)
                return item.map { .init(key: member.key, keyPosition: member.keyPosition, value: $0) }
            }
            result = result.setting(
                section, to: Node(value: .object(.init(indexing: kept)), position: paths.position))
        }
        result = withoutExcluded(result, &matched)
        var reach = Reachability(root: result)
        reach.visit(result)
        for name in (result["components"]?["schemas"]?.members ?? []).map(\.key)
        where isListed(name, include?.schemas ?? [], &matched) {
            reach.visit(component: name, in: "schemas")
        }
        result = reach.pruned(result)
        warnOfReferenced(result)
        warnOfUnmatchedPatterns(matched, root)
        return result
    }

    private func filtered(
        _ path: Node.Object.Member, in root: Node, _ matched: inout Set<SourcePosition>
    ) -> Node? {
        var hasOperation = false
        var item = path.value
        // If a path item is a reference, its operations are in another place of the document.
        if let reference = item.reference?.string, let target = Reachability.node(reference, in: root) {
            item = target
        }
        let result = item.filter { member in
            guard Self.methods.contains(member.key), member.value.object != nil else { return true }
            let keeps = isKept(member.value, path: path.key, &matched)
            hasOperation = hasOperation || keeps
            return keeps
        }
        return hasOperation ? result : nil
    }

    private func isKept(_ operation: Node, path: String, _ matched: inout Set<SourcePosition>) -> Bool {
        let tags = (operation["tags"]?.array ?? []).compactMap(\.text)
        let id = operation["operationId"]?.text
        /// Checks all lists, so that every pattern with a match is recorded.
        func isListed(_ filter: Configuration.Filter) -> Bool {
            var result = self.isListed(path, filter.paths, &matched)
            for tag in tags where self.isListed(tag, filter.tags, &matched) { result = true }
            if let id, self.isListed(id, filter.operations, &matched) { result = true }
            return result
        }
        let isIncluded = include.map { isListed($0) } ?? true
        return !isListed(exclude) && isIncluded
    }

    private func isListed(
        _ text: String, _ patterns: [Configuration.Filter.Pattern], _ matched: inout Set<SourcePosition>
    ) -> Bool {
        var result = false
        for pattern in patterns where Wildcard(pattern.text).matches(text) {
            matched.insert(pattern.position)
            result = true
        }
        return result
    }

    /// Excluded schemas are replaced by schemas that accept any value, until it is known that they are not used.
    private func withoutExcluded(_ root: Node, _ matched: inout Set<SourcePosition>) -> Node {
        guard !exclude.schemas.isEmpty, let components = root["components"],
            let schemas = components["schemas"]
        else { return root }
        let new = schemas.mapValues {
            isListed($0.key, exclude.schemas, &matched) ? Node([], at: $0.value.position) : $0.value
        }
        return root.setting("components", to: components.setting("schemas", to: new))
    }

    /// Reports excluded schemas that are still referenced.
    private func warnOfReferenced(_ root: Node) {
        var matched = Set<SourcePosition>()
        for member in root["components"]?["schemas"]?.members ?? []
        where isListed(member.key, exclude.schemas, &matched) {
            sink.warn(
                .configuration,
                "the schema \"\(member.key)\" is excluded but still referenced; falling back to JSONValue",
                at: member.keyPosition)
        }
    }

    private func warnOfUnmatchedPatterns(_ matched: Set<SourcePosition>, _ root: Node) {
        let known = KnownWords(root)
        for filter in [include, exclude].compactMap({ $0 }) {
            warn(filter.tags, "operation has the tag", known.tags, matched)
            warn(filter.paths, "path matches", known.paths, matched)
            warn(filter.operations, "operation has the operationId", known.operations, matched)
            warn(filter.schemas, "schema has the name", known.schemas, matched)
        }
    }

    @inline(never)
    private func warn(
        _ patterns: [Configuration.Filter.Pattern], _ what: String, _ known: [String],
        _ matched: Set<SourcePosition>
    ) {
        for pattern in patterns where !matched.contains(pattern.position) {
            sink.warn(
                .configuration, "no \(what) \"\(pattern.text)\"" + Suggestion.text(pattern.text, of: known),
                at: pattern.position)
        }
    }
}

/// The values in a document that filters can match.
private struct KnownWords {
    var tags: [String] = []
    var paths: [String] = []
    var operations: [String] = []
    var schemas: [String] = []

    init(_ root: Node) {
        for path in (root["paths"]?.members ?? []) + (root["webhooks"]?.members ?? []) {
            paths.append(path.key)
            for operation in path.value.members {
                tags += (operation.value["tags"]?.array ?? []).compactMap(\.text)
                operations += operation.value["operationId"]?.text.map { [$0] } ?? []
            }
        }
        schemas = (root["components"]?["schemas"]?.members ?? []).map(\.key)
    }
}
