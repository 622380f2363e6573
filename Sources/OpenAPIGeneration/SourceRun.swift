/// One run over a document: reads its files and applies bundling, overlays and the configuration in order.
struct SourceRun {
    let sources: SourceFiles
    let documents: any DocumentSource
    let sink: DiagnosticSink
    private(set) var configuration = Configuration()
    private(set) var trail = ReferenceTrail()

    init(path: String, documents: any DocumentSource, sink: DiagnosticSink) {
        sources = SourceFiles(document: path)
        self.documents = documents
        self.sink = sink
    }

    /// Reads a configuration file.
    mutating func configure(_ file: Generator.Input) throws(Diagnostic) {
        let number = sources.add(file.path)
        let root = try ConfigurationReader.tree(file.bytes, path: file.path, file: number, sink: sink)
        configuration = ConfigurationReader(sink: sink).read(root)
    }

    /// Changes all warnings to errors, except for rules that the configuration sets.
    mutating func makeStrict() { configuration.isStrict = true }

    /// The document to generate from: bundled, with overlays and configuration applied. Nil after errors.
    mutating func document(_ bytes: [UInt8]) throws(Diagnostic) -> (root: Node, version: OpenAPIVersion)? {
        var root = try DocumentReader.read(bytes, path: sources.paths[0], sink: sink)
        let version = try OpenAPIVersion.read(root)
        root = DynamicReferences.resolved(root, as: .object(.document), version: version)
        if BundleScan.isNeeded(root, version: version) { root = bundle(root, version: version) }
        root = DynamicTemplates.expanded(root, sink: sink)
        for overlay in configuration.overlays { root = try applying(overlay, to: root) }
        if sink.hasErrors { return nil }
        return (ConfiguredDocument(configuration: configuration, sink: sink).apply(to: root), version)
    }

    /// The document with all referenced files in one tree.
    private mutating func bundle(_ root: Node, version: OpenAPIVersion) -> Node {
        let files = FileSet(root: root, version: version, sources: sources, source: documents, sink: sink)
        let locator = ReferenceLocator(files: files, version: version, remote: configuration.remote)
        let bundler = Bundler(files: files, locator: locator, sink: sink)
        let result = bundler.bundle()
        trail = bundler.trail
        return result
    }

    private func applying(_ overlay: Configuration.Entry<String>, to root: Node) throws(Diagnostic) -> Node {
        guard RelativePath.scheme(of: overlay.value) == nil,
            let path = RelativePath.resolve(overlay.value, from: "")
        else {
            throw .error(
                .externalReference,
                "\"\(overlay.value)\" is outside the document's folder; move the file into the folder",
                at: overlay.position)
        }
        let bytes: [UInt8]
        do throws(Diagnostic) {
            bytes = try documents.read(path)
        } catch {
            throw .error(error.rule, "\"\(path)\" cannot be read: \(error.message)", at: overlay.position)
        }
        let number = sources.add(sources.beside(path))
        let tree = try DocumentReader.read(bytes, path: path, file: number, sink: sink)
        return Overlay(sink: sink).apply(tree, to: root)
    }

    /// Reads a lock.
    func lock(_ file: Generator.Input?) throws(Diagnostic) -> LockFile {
        guard let file else { return LockFile() }
        return try LockFile(file.bytes, file: sources.add(file.path))
    }

    /// The configured names of schemas. Names of operations were applied to the document.
    func chosenNames(in document: APIDocument) -> [ExactText: String] {
        var result = [ExactText: String]()
        for (pointer, entry) in configuration.names where !isOperation(pointer, in: document) {
            guard SwiftName.type(entry.value) == entry.value else {
                sink.fail(
                    .configuration,
                    "\"\(entry.value)\" is not a valid type name; use an UpperCamelCase identifier",
                    at: entry.position)
                continue
            }
            result[pointer] = entry.value
        }
        return result
    }

    /// Reports configured names that no type has.
    func checkNames(_ settled: [ExactText: String], in document: APIDocument, _ resolver: ReferenceResolver) {
        for (pointer, entry) in configuration.names where !isOperation(pointer, in: document) {
            if let name = settled[pointer] {
                guard name != entry.value, !name.hasSuffix("." + entry.value),
                    SwiftName.type(entry.value) == entry.value
                else { continue }
                sink.warn(
                    .nameCollision,
                    "the name \"\(entry.value)\" is taken; the type at \"\(pointer)\" is named \"\(name)\"",
                    at: entry.position)
                continue
            }
            let target = resolver.onlyReferenced(at: pointer, entry.position)
            let reason = target.map { ": it is a \"$ref\"; name \"\($0.text)\"" } ?? ""
            sink.warn(.configuration, "no generated type at \"\(pointer)\"\(reason)", at: entry.position)
        }
    }

    /// Reports types of the user that Swift would look up among the generated ones.
    func checkOwnTypes(in model: CodeModel) {
        let entries = (configuration.types.map(\.value) + configuration.formats.map(\.value))
            .sorted { $0.position < $1.position }
        for entry in entries {
            guard let type = entry.value.own, let reason = collision(of: type, in: model) else { continue }
            sink.fail(
                .configuration, "\"\(type.name)\" cannot be used: \"\(type.root)\" is also \(reason)",
                at: entry.position)
        }
    }

    private func collision(of type: OwnType, in model: CodeModel) -> String? {
        let fixed = ["Server", "Credentials", "WithResponse", "Headers"]
        if type.root == model.namespace || type.root == model.namespace + "Client" {
            return "the name of the client; set another one in \"name\", or use a type alias"
        }
        if fixed.contains(type.root) { return "a type of each client; use a type alias" }
        for (place, name) in model.settled.sorted(by: { $0.key < $1.key })
        where name == type.root || name.hasSuffix("." + type.root) {
            let alias = model.aliases.first { $0.key.text == place.text }?.value.shape.own
            if alias == type, type.module == nil { continue }
            return
                "the generated type of \"\(place.text)\"; set another name for it in \"names\", or use a type alias"
        }
        return nil
    }

    private func isOperation(_ pointer: String, in document: APIDocument) -> Bool {
        document.operations.contains { $0.pointer.text.isSame(as: pointer) }
    }

    /// The diagnostic with its configured severity and with notes for the references to its position.
    func finished(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { configuration.adjusted($0) }.map { trail.explained($0) }
    }
}
