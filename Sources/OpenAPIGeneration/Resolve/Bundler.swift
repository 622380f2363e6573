/// Makes one document of several files, so that nothing behind it has to know of files.
///
/// A schema, parameter, response, body, header or security scheme of another file becomes a component of the
/// document, once, and each reference to it leads there; that is also what keeps cycles between files apart.
/// Everything else that is referred to (paths, operations, whole sections) is put in the reference's place.
///
/// It walks the files twice: first to find what is referred to, then, once all names are settled, to write the
/// document. Names do not depend on the order of keys.
final class Bundler {
    /// What becomes a component: a place, in the section that its use asks for.
    struct Hoist: Hashable {
        let section: String
        let location: FileLocation
    }

    /// Where in the document that is being written a node comes to stand.
    enum Slot {
        case elsewhere, components
        case section(String)
        case entry(section: String, name: String)
    }

    let files: FileSet
    let locator: ReferenceLocator
    let sink: DiagnosticSink
    private(set) var trail = ReferenceTrail()

    /// What was found to be referred to, with its node and kind.
    private var hoisted: [Hoist: (node: Node, kind: ObjectKind)] = [:]
    /// What stands among the document's own components, by their names.
    private var adopted: [Hoist: String] = [:]
    private var queue: [Hoist] = []
    /// Places that were walked as what they are referred to as.
    private var visited: Set<Hoist> = []
    /// Where each component ends up; nil in the first walk.
    private var names: [Hoist: JSONPointer]?
    /// The places of the document that are referred to, and all places around them.
    private var interior: Set<JSONPointer> = []
    private var kinds: [JSONPointer: ObjectKind] = [:]
    private var inclusions: [FileLocation] = []

    init(files: FileSet, locator: ReferenceLocator, sink: DiagnosticSink) {
        self.files = files
        self.locator = locator
        self.sink = sink
    }

    /// The whole document. Faults are in the sink.
    func bundle() -> Node {
        let root = FileLocation(file: 0, pointer: .root)
        let draft = walk(files[0].root, as: .document, at: root)
        while let next = queue.popLast() {
            guard !visited.contains(next), let found = hoisted[next] else { continue }
            _ = walk(found.node, as: found.kind, at: next.location)
        }
        let naming = BundleNames(
            hoisted: Array(hoisted.keys), adopted: adopted, files: files, components: draft["components"])
        names = naming.places
        for (hoist, found) in hoisted where hoist.location.file == 0 {
            kinds[hoist.location.pointer] = found.kind
            var tokens = hoist.location.pointer.tokens
            while true {
                interior.insert(JSONPointer(tokens: tokens))
                if tokens.popLast() == nil { break }
            }
        }
        let result = walk(files[0].root, as: .document, at: root)
        return adding(naming.added, to: result)
    }

    private func adding(_ added: [(hoist: Hoist, name: String)], to root: Node) -> Node {
        var sections: [String: [Node.Object.Member]] = [:]
        for (hoist, name) in added {
            guard let found = hoisted[hoist] else { continue }
            let node = walk(found.node, as: found.kind, at: hoist.location)
            sections[hoist.section, default: []].append(
                .init(key: name, keyPosition: found.node.position, value: node))
        }
        guard !sections.isEmpty else { return root }
        var components =
            root["components"] ?? Node(value: .object(.init(members: [])), position: root.position)
        for (section, members) in sections.sorted(by: { $0.key < $1.key }) {
            let old = components[section]
            components = components.setting(
                section,
                to: Node(
                    value: .object(Node.Object(indexing: (old?.members ?? []) + members)),
                    position: old?.position ?? root.position))
        }
        return root.setting("components", to: components)
    }

    /// Writes a node of a kind anew, its references leading to their new places.
    func walk(
        _ node: Node, as kind: ObjectKind, at place: FileLocation, slot: Slot = .elsewhere
    ) -> Node {
        if let section = kind.section {
            let own = Hoist(section: section, location: place)
            visited.insert(own)
            if names == nil, place.file != 0, case .entry(section, let name) = slot { adopt(own, name) }
            if let reference = node.reference {
                return follow(reference, of: node, as: kind, section, at: place, slot)
            }
        } else if node.reference != nil {
            return expand(node, at: place, as: kind) { self.walk($0, as: kind, at: $1, slot: slot) }
        }
        guard let object = node.object else { return node }
        let table = KeywordTable.keywords(of: kind)
        let members = object.members.map { member in
            let inner = place.appending(member.key)
            return Node.Object.Member(
                key: member.key, keyPosition: member.keyPosition,
                value: value(of: member, table[member.key], in: kind, at: inner, slot))
        }
        return Node(value: .object(Node.Object(indexing: members)), position: node.position)
    }

    private func value(
        of member: Node.Object.Member, _ use: KeywordUse?, in kind: ObjectKind, at place: FileLocation,
        _ slot: Slot
    ) -> Node {
        switch use {
        case .object(let inner):
            let isComponents = inner == .components
            return walk(member.value, as: inner, at: place, slot: isComponents ? .components : .elsewhere)
        case .list(let inner):
            return expand(member.value, at: place) { node, place in
                guard let items = node.array else { return node }
                let walked = items.enumerated().map {
                    self.walk($0.element, as: inner, at: place.appending($0.offset))
                }
                return Node(value: .array(walked), position: node.position)
            }
        case .map(let inner):
            var section: String?
            if case .components = slot { section = member.key }
            return expand(member.value, at: place) { self.map($0, of: inner, at: $1, section: section) }
        case .read where kind == .discriminator && member.key == "mapping":
            return mapping(member.value, at: place)
        case .read where !BundleScan.data.contains(member.key):
            return expand(member.value, at: place) { node, _ in node }
        default:
            return within(member.value, at: place)
        }
    }

    private func map(
        _ node: Node, of kind: ObjectKind, at place: FileLocation, section: String?
    ) -> Node {
        guard let object = node.object else { return node }
        let members = object.members.map { member in
            let slot = section.map { Slot.entry(section: $0, name: member.key) } ?? .elsewhere
            return Node.Object.Member(
                key: member.key, keyPosition: member.keyPosition,
                value: walk(member.value, as: kind, at: place.appending(member.key), slot: slot))
        }
        return Node(value: .object(Node.Object(indexing: members)), position: node.position)
    }

    /// What has no meaning itself may still hold something that is referred to.
    private func within(_ node: Node, at place: FileLocation) -> Node {
        guard names != nil, place.file == 0, interior.contains(place.pointer) else { return node }
        if let kind = kinds[place.pointer] { return walk(node, as: kind, at: place) }
        switch node.value {
        case .object(let object):
            let members = object.members.map {
                Node.Object.Member(
                    key: $0.key, keyPosition: $0.keyPosition,
                    value: within($0.value, at: place.appending($0.key)))
            }
            return Node(value: .object(Node.Object(indexing: members)), position: node.position)
        case .array(let items):
            let walked = items.enumerated().map { within($0.element, at: place.appending($0.offset)) }
            return Node(value: .array(walked), position: node.position)
        default: return node
        }
    }
}

// MARK: - References

extension Bundler {
    /// A reference to something that is a component, here or elsewhere.
    private func follow(
        _ reference: Node, of node: Node, as kind: ObjectKind, _ section: String, at place: FileLocation,
        _ slot: Slot
    ) -> Node {
        guard let target = target(of: reference, at: place) else { return node }
        let hoist = Hoist(section: section, location: target.location)
        if hoisted[hoist] == nil {
            hoisted[hoist] = (target.node, kind)
            queue.append(hoist)
        }
        // A component that is but a reference to another file is that file's schema, by this name.
        if case .entry(section, let name) = slot, node.members.count == 1, target.location.file != 0 {
            if names == nil {
                adopt(hoist, name)
            } else if adopted[hoist] == name {
                return walk(target.node, as: kind, at: target.location)
            }
        }
        let text = (names?[hoist] ?? target.location.pointer).reference
        let members = node.members.map { member in
            guard member.key != "$ref" else {
                return Node.Object.Member(
                    key: member.key, keyPosition: member.keyPosition,
                    value: Node(value: .string(text), position: reference.position))
            }
            return Node.Object.Member(
                key: member.key, keyPosition: member.keyPosition,
                value: value(
                    of: member, KeywordTable.keywords(of: kind)[member.key], in: kind,
                    at: place.appending(member.key), .elsewhere))
        }
        return Node(value: .object(Node.Object(indexing: members)), position: node.position)
    }

    private func adopt(_ hoist: Hoist, _ name: String) {
        if let known = adopted[hoist], known <= name { return }
        adopted[hoist] = name
    }

    /// What a reference leads to. In other files, what is but a reference itself is passed through.
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
                        .circularReference, "the references from here lead back to themselves",
                        at: reference.position,
                        notes: [.init(message: "by way of this", position: next.position)])
                }
            }
            return target
        } catch {
            sink.report(error)
            return nil
        }
    }

    /// Puts what a reference leads to in its place, then goes on with it.
    private func expand(
        _ node: Node, at place: FileLocation, as kind: ObjectKind? = nil,
        then body: (Node, FileLocation) -> Node
    ) -> Node {
        guard let reference = node.reference else { return body(node, place) }
        guard let target = target(of: reference, at: place) else { return node }
        guard !inclusions.contains(target.location), inclusions.count < TreeLimits.inclusions else {
            sink.report(
                .error(
                    .circularReference, "the references from here lead back to themselves",
                    at: reference.position,
                    notes: [.init(message: "by way of this", position: target.node.position)]))
            return node
        }
        inclusions.append(target.location)
        defer { inclusions.removeLast() }
        let result = expand(target.node, at: target.location, as: kind, then: body)
        guard node.members.count > 1 else { return result }
        // What a path says beside its reference is added to it; anywhere else it is ignored.
        guard kind == .pathItem, result.object != nil else {
            KeywordCheck.reportSiblings(of: node, sink: sink)
            return result
        }
        let own = walk(node.removing("$ref"), as: .pathItem, at: place)
        return own.members.reduce(result) { $0.setting($1.key, to: $1.value) }
    }

    /// A discriminator's mapping: component names, or references.
    private func mapping(_ node: Node, at place: FileLocation) -> Node {
        expand(node, at: place) { node, place in
            guard let object = node.object else { return node }
            let members = object.members.map { member in
                guard let text = member.value.string, isReference(text) else { return member }
                let reference = member.value
                guard let target = target(of: reference, at: place) else { return member }
                let hoist = Hoist(section: "schemas", location: target.location)
                if hoisted[hoist] == nil {
                    hoisted[hoist] = (target.node, .schema)
                    queue.append(hoist)
                }
                let new = (names?[hoist] ?? target.location.pointer).reference
                return Node.Object.Member(
                    key: member.key, keyPosition: member.keyPosition,
                    value: Node(value: .string(new), position: reference.position))
            }
            return Node(value: .object(Node.Object(indexing: members)), position: node.position)
        }
    }

    /// By the specification a bare name is a component; only what looks like a path is taken for one.
    private func isReference(_ text: String) -> Bool {
        if files[0].root["components"]?["schemas"]?[text] != nil { return false }
        return text.contains("#") || text.contains("/")
            || [".yaml", ".yml", ".json"].contains { text.hasSuffix($0) }
    }
}

extension ObjectKind {
    /// The section of the components that holds such objects; nil for those that are put in a reference's
    /// place.
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
