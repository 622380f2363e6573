/// One run over a document: the files it reads, in which order they are changed, and what is left.
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

    /// Makes every warning an error, but for rules that the configuration names.
    mutating func demandStrictness() { configuration.isStrict = true }

    /// The document as it is generated: bundled, with overlays applied and the configuration's wishes in it;
    /// nil where that has faults.
    mutating func document(
        _ bytes: [UInt8]
    ) throws(Diagnostic) -> (root: Node, version: OpenAPIVersion)? {
        var root = try DocumentReader.read(bytes, path: sources.paths[0], sink: sink)
        let version = try OpenAPIVersion.read(root)
        root = DynamicReferences.resolved(root, version: version, sink: sink)
        if BundleScan.isNeeded(root, version: version) { root = bundle(root, version: version) }
        for overlay in configuration.overlays { root = try applying(overlay, to: root) }
        if sink.hasErrors { return nil }
        return (ConfiguredDocument(configuration: configuration, sink: sink).apply(to: root), version)
    }

    /// The document with all that it refers to in one tree.
    private mutating func bundle(_ root: Node, version: OpenAPIVersion) -> Node {
        let files = FileSet(root: root, sources: sources, source: documents, sink: sink)
        let locator = ReferenceLocator(files: files, version: version, remote: configuration.remote)
        let bundler = Bundler(files: files, locator: locator, sink: sink)
        let result = bundler.bundle()
        trail = bundler.trail
        return result
    }

    private func applying(
        _ overlay: Configuration.Entry<String>, to root: Node
    ) throws(Diagnostic) -> Node {
        guard RelativePath.scheme(of: overlay.value) == nil,
            let path = RelativePath.resolve(overlay.value, from: "")
        else {
            throw .error(
                .externalReference,
                "\"\(overlay.value)\" leaves the document's folder; only files below it are read",
                at: overlay.position)
        }
        let bytes: [UInt8]
        do throws(Diagnostic) {
            bytes = try documents.read(path)
        } catch {
            throw .error(
                error.rule, "\"\(path)\" cannot be read: \(error.message)", at: overlay.position)
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

    /// The configuration's names for schemas; those of operations are in the document already.
    func chosenNames(in document: APIDocument) -> [String: String] {
        var result: [String: String] = [:]
        for (pointer, entry) in configuration.names where !isOperation(pointer, in: document) {
            guard SwiftName.type(entry.value) == entry.value else {
                sink.report(
                    .error(
                        .configuration, "\"\(entry.value)\" is no name for a type; take an upper camel word",
                        at: entry.position))
                continue
            }
            result[pointer] = entry.value
        }
        return result
    }

    /// Tells of names that came to nothing.
    func checkNames(_ settled: [String: String]) {
        for (pointer, entry) in configuration.names where settled[pointer] == nil {
            sink.report(
                .warning(.configuration, "there is no type of its own at \"\(pointer)\"", at: entry.position))
        }
    }

    private func isOperation(_ pointer: String, in document: APIDocument) -> Bool {
        document.operations.contains { $0.pointer.text == pointer }
    }

    /// A finding as the configuration wants it, with the references that led to its place.
    func finished(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { configuration.adjusted($0) }.map { trail.explained($0) }
    }
}
