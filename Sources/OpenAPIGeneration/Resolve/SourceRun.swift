/// The files of one run and how they were reached.
struct SourceRun {
    /// As the user would write them, the document first.
    private(set) var sources: [String]
    private(set) var trail = ReferenceTrail()
    private let path: String

    init(path: String) {
        self.path = path
        sources = [path]
    }

    /// The document with all that it refers to in one tree.
    mutating func bundle(
        _ root: Node, version: OpenAPIVersion, remote: [String: String] = [:],
        _ documents: any DocumentSource, _ sink: DiagnosticSink
    ) -> Node {
        let files = FileSet(root: root, path: path, source: documents, sink: sink)
        let locator = ReferenceLocator(files: files, version: version, remote: remote)
        let bundler = Bundler(files: files, locator: locator, sink: sink)
        let result = bundler.bundle()
        trail = bundler.trail
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        sources = [path] + files.files.dropFirst().map { folder + $0.path }
        return result
    }
}
