extension Bundler {
    /// A reference to a component, in the document or in another file.
    func follow(
        _ reference: Node, of node: Node, as kind: ObjectKind, _ section: String, at place: FileLocation,
        _ slot: Slot
    ) -> Node {
        guard let target = target(of: reference, at: place) else { return node }
        let hoist = Hoist(section: section, location: target.location)
        if hoisted[hoist] == nil {
            hoisted[hoist] = (target.node, kind)
            queue.append(hoist)
        }
        // A component that only references another file gives its name to the schema of that file.
        if case .entry(section, let name) = slot, node.members.count == 1, target.location.file != 0 {
            if names == nil {
                adopt(hoist, name)
            } else if adopted[hoist] == name {
                return walk(target.node, as: kind, at: target.location)
            }
        }
        let text = (names?[hoist] ?? target.location.pointer).reference
        return node.mapValues { member in
            guard member.key != "$ref" else {
                return Node(value: .string(text), position: reference.position)
            }
            return value(
                of: member, KeywordTable.keywords(of: kind)[member.key], in: kind,
                at: place.appending(member.key), .elsewhere)
        }
    }

    func adopt(_ hoist: Hoist, _ name: String) {
        if let known = adopted[hoist], known <= name { return }
        adopted[hoist] = name
    }

    /// The target of a reference. In other files, targets that are only references are followed.
    private func target(of reference: Node, at place: FileLocation) -> LocatedNode? {
        guard let text = reference.string else { return nil }
        do throws(Diagnostic) {
            var target = try locator.target(of: text, from: place, at: reference.position)
            trail.note(target.node, by: reference.position)
            var passed: Set<FileLocation> = [target.location]
            while target.location.file != 0, target.node.members.count == 1,
                let next = target.node.reference, let text = next.string
            {
                target = try locator.target(of: text, from: target.location, at: next.position)
                trail.note(target.node, by: next.position)
                guard passed.insert(target.location).inserted else {
                    throw .error(
                        .circularReference, "circular reference", at: reference.position,
                        notes: [.init(message: "through this reference", position: next.position)])
                }
            }
            return target
        } catch {
            sink.report(error)
            return nil
        }
    }

    /// Replaces a reference by its target, then processes the target.
    @inline(never)
    func expand(
        _ node: Node, at place: FileLocation, as kind: ObjectKind? = nil,
        then body: (Node, FileLocation) -> Node
    ) -> Node {
        guard let reference = node.reference else { return body(node, place) }
        guard let target = target(of: reference, at: place) else { return node }
        guard !inclusions.contains(target.location), inclusions.count < TreeLimits.inclusions else {
            sink.fail(
                .circularReference, "circular reference", at: reference.position,
                notes: [.init(message: "through this reference", position: target.node.position)])
            return node
        }
        inclusions.append(target.location)
        defer { inclusions.removeLast() }
        let result = expand(target.node, at: target.location, as: kind, then: body)
        guard node.members.count > 1 else { return result }
        // Siblings of a reference are merged into a path item; elsewhere they are ignored.
        guard kind == .pathItem, result.object != nil else {
            KeywordCheck.reportSiblings(of: node, sink: sink)
            return result
        }
        let own = walk(node.removing("$ref"), as: .pathItem, at: place)
        return own.members.reduce(result) { $0.setting($1.key, to: $1.value) }
    }

    /// A discriminator's mapping: component names, or references.
    func mapping(_ node: Node, at place: FileLocation) -> Node {
        expand(node, at: place) { node, place in
            node.mapValues { self.mapped($0.value, at: place) }
        }
    }

    /// The target of a discriminator value that is a reference.
    func mapped(_ reference: Node, at place: FileLocation) -> Node {
        guard let text = reference.string, isReference(text), let target = target(of: reference, at: place)
        else { return reference }
        let hoist = Hoist(section: "schemas", location: target.location)
        if hoisted[hoist] == nil {
            hoisted[hoist] = (target.node, .schema)
            queue.append(hoist)
        }
        let new = (names?[hoist] ?? target.location.pointer).reference
        return Node(value: .string(new), position: reference.position)
    }

    /// Whether the text looks like a path. By the specification, a bare name is a component.
    private func isReference(_ text: String) -> Bool {
        if files[0].root["components"]?["schemas"]?[text] != nil { return false }
        return text.contains("#") || text.contains("/")
            || [".yaml", ".yml", ".json"].contains { text.hasSuffix($0) }
    }
}

extension ObjectKind {
    /// The section of the components for such objects. Nil: references are replaced by their targets.
    var section: String? {
        switch self {
        case .schema: "schemas"
        case .parameter: "parameters"
        case .response: "responses"
        case .requestBody: "requestBodies"
        case .header: "headers"
        case .securityScheme: "securitySchemes"
        default: nil
        }
    }
}
