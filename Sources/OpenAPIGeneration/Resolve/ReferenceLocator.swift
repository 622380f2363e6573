/// Finds the target of a reference in any file: by path, `$self`, `$id`, `$anchor` and JSON Pointer.
///
/// A reference is relative to the nearest `$id`, to the `$self` of its file, or to the path of its file. One that this
/// base does not lead to, such as the URI of a server, is relative to the path of its file.
///
/// Only files in the document's folder and below are read; nothing is fetched from the network. A remote reference is
/// an error unless the configuration maps it to local files.
final class ReferenceLocator {
    private let files: FileSet
    private let version: OpenAPIVersion
    /// Prefix of a URI → local path; longest prefix first.
    private let remote: [(prefix: String, path: String)]
    private var indexed = 0
    /// The number of references on the path of the current pointer.
    private var depth = 0
    /// Absolute URI or path of a `$self` or an `$id` → place of the file or schema.
    private var resources = [ExactText: FileLocation]()
    /// By file: its root and the places of its `$id`s, with their URIs or paths, innermost last.
    private var bases = [Int: [(pointer: JSONPointer, uri: String)]]()
    /// Resource → name → place of the schema.
    private var anchors = [FileLocation: [ExactText: FileLocation]]()

    init(files: FileSet, version: OpenAPIVersion, remote: [String: String]) {
        self.files = files
        self.version = version
        self.remote = remote.sorted { ($1.key.count, $0.key) < ($0.key.count, $1.key) }
            .map { (prefix: $0.key, path: $0.value) }
    }

    /// The direct target of a reference. It may be a reference itself.
    func target(
        of reference: String, from place: FileLocation, at position: SourcePosition
    ) throws(Diagnostic) -> LocatedNode {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let resource = try resource(String(parts[0]), from: place, reference, at: position)
        guard let fragment = PercentCoding.decoded(parts.count == 2 ? parts[1] : "") else {
            throw unresolved(reference, "invalid percent encoding", at: position)
        }
        guard !fragment.isEmpty else { return try located(resource, reference, at: position) }
        guard fragment.utf8.first == UInt8(ascii: "/") else {
            index()
            guard let anchor = anchors[resource]?[fragment] else {
                throw unresolved(reference, "no such \"$anchor\"", at: position)
            }
            return try located(anchor, reference, at: position)
        }
        let tokens = resource.pointer.tokens + JSONPointer.tokens(of: fragment)
        return try located(
            FileLocation(file: resource.file, pointer: JSONPointer(tokens: tokens)), reference, at: position)
    }

    /// The node at a place. References on the path of the pointer are followed.
    private func located(
        _ location: FileLocation, _ reference: String, at position: SourcePosition
    ) throws(Diagnostic) -> LocatedNode {
        let tokens = location.pointer.tokens
        let (node, steps) = files[location.file].root.descend(tokens)
        guard steps == tokens.count else {
            if let inner = node.reference, let text = inner.string {
                depth += 1
                defer { depth -= 1 }
                guard depth < TreeLimits.inclusions else {
                    throw unresolved(reference, "too many nested references", at: position)
                }
                let here = FileLocation(
                    file: location.file, pointer: JSONPointer(tokens: Array(tokens[..<steps])))
                let target = try target(of: text, from: here, at: inner.position)
                let rest = tokens[steps...].reduce(target.location.pointer) { $0.appending($1) }
                return try located(
                    FileLocation(file: target.location.file, pointer: rest), reference, at: position)
            }
            let parent = JSONPointer(tokens: Array(tokens[..<steps])).text
            throw unresolved(
                reference, "no such member \"\(tokens[steps])\" in \(parent)", at: position, nearest: node)
        }
        return LocatedNode(location: location, node: node)
    }

    /// The resource that the part before `#` names.
    private func resource(
        _ uri: String, from place: FileLocation, _ reference: String, at position: SourcePosition
    ) throws(Diagnostic) -> FileLocation {
        index()
        let base = base(of: place)
        guard !uri.isEmpty else { return base.resource }
        guard let decoded = PercentCoding.decoded(uri), !decoded.utf8.contains(where: { $0 < 0x20 }) else {
            throw unresolved(reference, "invalid percent encoding", at: position)
        }
        if let absolute = RelativePath.resolve(uri, against: base.uri) {
            if let known = resources[absolute] { return known }
            if RelativePath.scheme(of: absolute) != nil, let path = standIn(absolute) {
                return try file(path, at: position)
            }
        }
        if let scheme = RelativePath.scheme(of: uri) ?? (uri.hasPrefix("//") ? "//" : nil) {
            if let known = resources[uri] { return known }
            if let path = standIn(uri) { return try file(path, at: position) }
            throw .error(
                .externalReference,
                ["http", "https", "//"].contains(scheme)
                    ? "remote reference \"\(reference)\" is not fetched; map it to a local file with \"references.remote\" in the configuration"
                    : "\"\(reference)\" has the unsupported scheme \"\(scheme)\"; use a relative path",
                at: position)
        }
        let beside = RelativePath.resolve(decoded, from: files[place.file].path)
        if RelativePath.scheme(of: base.uri) == nil, base.uri.utf8.first != UInt8(ascii: "/"),
            let path = RelativePath.resolve(decoded, from: base.uri), path != beside
        {
            if let known = resources[path] { return known }
            if let found = try? file(path, at: position) { return found }
        }
        guard let path = beside else {
            throw .error(
                .externalReference,
                "\"\(reference)\" is outside the document's folder; move the file into the folder",
                at: position)
        }
        if let known = resources[path] { return known }
        return try file(path, at: position)
    }

    private func file(_ path: String, at position: SourcePosition) throws(Diagnostic) -> FileLocation {
        FileLocation(file: try files.file(path, at: position), pointer: .root)
    }

    /// The local path that the configuration maps a URI to.
    private func standIn(_ uri: String) -> String? {
        for (prefix, path) in remote where uri.hasPrefix(prefix) {
            return RelativePath.resolve(path + uri.dropFirst(prefix.count), from: "")
        }
        return nil
    }

    private func unresolved(
        _ reference: String, _ reason: String, at position: SourcePosition, nearest: Node? = nil
    ) -> Diagnostic {
        .error(
            .unresolvedReference, "\"\(reference)\" cannot be resolved: \(reason)", at: position,
            notes: nearest.map {
                [.init(message: "resolved up to here", position: $0.position)]
            } ?? [])
    }
}

extension ReferenceLocator {
    /// The innermost schema with an `$id` around a place, otherwise its file, and the base of relative references.
    private func base(of place: FileLocation) -> (resource: FileLocation, uri: String) {
        for base in (bases[place.file] ?? []).reversed()
        where place.pointer == base.pointer
            || place.pointer.text.utf8.starts(with: (base.pointer.text + "/").utf8)
        {
            return (FileLocation(file: place.file, pointer: base.pointer), base.uri)
        }
        return (FileLocation(file: place.file, pointer: .root), files[place.file].path)
    }

    /// Indexes the `$self`s, `$id`s and `$anchor`s of files that were read since the last call.
    private func index() {
        while indexed < files.files.count {
            let file = indexed
            indexed += 1
            let root = FileLocation(file: file, pointer: .root)
            let uri = baseURI(of: file)
            if uri != files[file].path, resources[uri] == nil { resources[uri] = root }
            bases[file] = [(.root, uri)]
            // The document is always indexed first; other files can contain any JSON.
            let role = file == 0 ? NodeRole.object(.document) : .unknown
            DocumentWalk(role).objects(in: files[file].root, at: .root, (resource: root, uri: uri)) {
                node, pointer, base in
                note(node, at: FileLocation(file: file, pointer: pointer), base)
            }
        }
    }

    /// The `$self` of a file (OpenAPI 3.2, section 4.1.2.2.1), otherwise its path.
    private func baseURI(of file: Int) -> String {
        let path = files[file].path
        // A base has no fragment (RFC 3986, section 5.1).
        let own = files[file].root["$self"]?.string?.prefix { $0 != "#" } ?? ""
        return own.isEmpty ? path : RelativePath.resolve(String(own), against: path) ?? path
    }

    /// Records the identifiers and anchors of a schema. Returns the resource of its contents.
    private func note(
        _ node: Node, at place: FileLocation, _ base: (resource: FileLocation, uri: String)
    ) -> (resource: FileLocation, uri: String) {
        var (resource, uri) = base
        if version != .v3_0, let identifier = node.identifier {
            resource = place
            uri = RelativePath.resolve(identifier, against: uri) ?? identifier
            if resources[uri] == nil { resources[uri] = place }
            bases[place.file, default: []].append((place.pointer, uri))
        }
        for anchor in [node["$anchor"]?.string, node["$dynamicAnchor"]?.string].compactMap({ $0 })
        where anchors[resource]?[anchor] == nil {
            anchors[resource, default: [:]][anchor] = place
        }
        return (resource, uri)
    }
}

extension Node {
    /// The `$id` of a schema. It can have an empty fragment; with another one, which JSON Schema does not allow, it has
    /// no effect.
    var identifier: String? {
        guard let text = self["$id"]?.string else { return nil }
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        return parts[0].isEmpty || parts.count == 2 && !parts[1].isEmpty ? nil : String(parts[0])
    }

    var isCollection: Bool {
        switch value {
        case .array, .object: true
        default: false
        }
    }
}
