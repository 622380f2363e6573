/// Bundles several files into one document, so that later stages do not depend on files.
///
/// A schema, parameter, response, body, header or security scheme of another file becomes a component of the
/// document, once, and all references to it point there. This also resolves cycles between files.
/// All other references (paths, operations, whole sections) are replaced by their targets.
///
/// It walks the files twice: first to find the targets of references, then, when all names are known, to write the
/// document. Names do not depend on the order of keys.
final class Bundler {
    /// A place that becomes a component, in the section that its use requires.
    struct Hoist: Hashable {
        let section: String
        let location: FileLocation
    }

    /// The place of a node in the bundled document.
    enum Slot {
        case elsewhere, components
        case section(String)
        case entry(section: String, name: String)
    }

    let files: FileSet
    let locator: ReferenceLocator
    let sink: DiagnosticSink
    var trail = ReferenceTrail()

    /// The targets of references, with node and kind.
    var hoisted = [Hoist: (node: Node, kind: ObjectKind)]()
    /// The document's own components, by name.
    var adopted = [Hoist: String]()
    var queue: [Hoist] = []
    /// The visited places, by kind.
    private var visited = Set<Hoist>()
    /// The new place of each component. Nil in the first walk.
    var names: [Hoist: JSONPointer]?
    /// The referenced places of the document, and their ancestors.
    private var interior = Set<JSONPointer>()
    private var kinds = [JSONPointer: ObjectKind]()
    var inclusions: [FileLocation] = []

    init(files: FileSet, locator: ReferenceLocator, sink: DiagnosticSink) {
        self.files = files
        self.locator = locator
        self.sink = sink
    }

    /// The bundled document. Errors are reported to the sink.
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
        var sections = [String: [Node.Object.Member]]()
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

    /// Rewrites a node of a kind, with references to the new places.
    @inline(never)
    func walk(_ node: Node, as kind: ObjectKind, at place: FileLocation, slot: Slot = .elsewhere) -> Node {
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
        let table = KeywordTable.keywords(of: kind)
        return node.mapValues {
            value(of: $0, table[$0.key], in: kind, at: place.appending($0.key), slot)
        }
    }

    func value(
        of member: Node.Object.Member, _ use: KeywordUse?, in kind: ObjectKind, at place: FileLocation,
        _ slot: Slot
    ) -> Node {
        guard let use, use.isRead else { return within(member.value, at: place) }
        switch use.role {
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
        case .maps(let inner):
            return expand(member.value, at: place) { node, place in
                node.mapValues { member in
                    self.expand(member.value, at: place.appending(member.key)) {
                        self.map($0, of: inner, at: $1, section: nil)
                    }
                }
            }
        case .value where kind == .discriminator && member.key == "mapping":
            return mapping(member.value, at: place)
        case .value where kind == .discriminator && member.key == "defaultMapping":
            return mapped(member.value, at: place)
        case .value:
            return expand(member.value, at: place) { node, _ in node }
        case .data, .unknown:
            return within(member.value, at: place)
        }
    }

    private func map(_ node: Node, of kind: ObjectKind, at place: FileLocation, section: String?) -> Node {
        node.mapValues { member in
            let slot = section.map { Slot.entry(section: $0, name: member.key) } ?? .elsewhere
            return walk(member.value, as: kind, at: place.appending(member.key), slot: slot)
        }
    }

    /// Rewrites a node without a known kind, which may still contain reference targets.
    private func within(_ node: Node, at place: FileLocation) -> Node {
        guard names != nil, place.file == 0, interior.contains(place.pointer) else { return node }
        if let kind = kinds[place.pointer] { return walk(node, as: kind, at: place) }
        return DocumentWalk(.unknown).map(node) { child, _, step in within(child, at: place.appending(step)) }
    }
}
