import GatewaySuggestions

/// An OpenAPI Overlay 1.0: changes that are applied to a document before it is read.
struct Overlay {
    let sink: DiagnosticSink

    /// Applies the actions of an overlay in order. Invalid actions are reported and skipped.
    func apply(_ overlay: Node, to document: Node) -> Node {
        guard overlay.object != nil else {
            report(
                .error(.overlay, "an overlay must be an object, found \(overlay.kind)", at: overlay.position))
            return document
        }
        let version = overlay["overlay"]?.text ?? ""
        guard version == "1.0" || version.hasPrefix("1.0.") else {
            report(
                .error(
                    .overlay,
                    version.isEmpty
                        ? "missing key \"overlay\""
                        : "Overlay version \"\(version)\" is not supported; use 1.0",
                    at: overlay["overlay"]?.position ?? overlay.position))
            return document
        }
        check(overlay, "an overlay", known: ["overlay", "info", "extends", "actions"])
        guard let actions = overlay["actions"]?.array else {
            report(.error(.overlay, "an overlay requires an \"actions\" array", at: overlay.position))
            return document
        }
        return actions.reduce(document) { perform($1, on: $0) }
    }

    private func report(_ diagnostic: Diagnostic) { sink.report(diagnostic) }

    private func check(_ node: Node, _ what: String, known: [String]) {
        for member in node.members where !known.contains(member.key) && !member.key.hasPrefix("x-") {
            report(
                .warning(
                    .unknownKeyword,
                    "unknown keyword \"\(member.key)\" in \(what)" + Suggestion.text(member.key, of: known),
                    at: member.keyPosition))
        }
    }

    private func perform(_ action: Node, on document: Node) -> Node {
        check(action, "an action", known: ["target", "description", "update", "remove"])
        guard let target = action["target"], let text = target.string else {
            report(.error(.overlay, "an action requires \"target\"", at: action.position))
            return document
        }
        let path: JSONPath
        do throws(JSONPathError) {
            path = try JSONPath(text)
        } catch {
            report(.error(.overlay, "invalid JSONPath \"\(text)\": \(error.message)", at: target.position))
            return document
        }
        let matches = path.matches(in: document)
        if matches.isEmpty {
            report(.warning(.overlay, "\"\(text)\" matches nothing in the document", at: target.position))
        }
        if action["remove"]?.bool == true {
            // From the last to the first, so that the remaining positions do not change.
            return matches.reversed().reduce(document) { $0.changing($1.steps[...]) { _ in nil } ?? $0 }
        }
        guard let update = action["update"] else {
            report(.error(.overlay, "an action requires \"update\" or \"remove: true\"", at: action.position))
            return document
        }
        return matches.reduce(document) { document, match in
            document.changing(match.steps[...]) { merged($0, with: update, isTarget: true) } ?? document
        }
    }

    /// Merges objects recursively, appends to arrays, and replaces other values.
    private func merged(_ node: Node, with update: Node, isTarget: Bool) -> Node {
        switch (node.value, update.value) {
        case (.object, .object):
            return update.members.reduce(node) { result, member in
                let new = result[member.key].map { merged($0, with: member.value, isTarget: false) }
                return result.setting(member.key, to: new ?? member.value, keyPosition: member.keyPosition)
            }
        case (.array(let items), _) where isTarget:
            return Node(value: .array(items + [update]), position: node.position)
        case (.array(let items), .array(let new)):
            return Node(value: .array(items + new), position: node.position)
        default:
            if isTarget || node.isCollection != update.isCollection || node.isCollection {
                report(
                    .error(
                        .overlay, "\(node.kind) cannot be updated with \(update.kind)", at: update.position,
                        notes: [.init(message: "the target is here", position: node.position)]))
                return node
            }
            return update
        }
    }
}

extension Node {
    /// The tree with the node at the end of some steps changed, or removed for nil.
    func changing(_ steps: ArraySlice<JSONPath.Step>, _ change: (Node) -> Node?) -> Node? {
        guard let step = steps.first else { return change(self) }
        switch step {
        case .key(let key):
            guard let inner = self[key] else { return self }
            guard let new = inner.changing(steps.dropFirst(), change) else { return removing(key) }
            return setting(key, to: new)
        case .index(let index):
            guard var items = array, items.indices.contains(index) else { return self }
            if let new = items[index].changing(steps.dropFirst(), change) {
                items[index] = new
            } else {
                items.remove(at: index)
            }
            return Node(value: .array(items), position: position)
        }
    }
}
