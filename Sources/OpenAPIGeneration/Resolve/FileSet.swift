/// The files of a run: the document and the files that it references. Each is read once.
final class FileSet {
    struct File {
        /// Relative to the document's folder.
        let path: String
        let root: Node
    }

    private(set) var files: [File]
    private let version: OpenAPIVersion
    private let source: any DocumentSource
    private let sources: SourceFiles
    private let sink: DiagnosticSink
    private var known = [ExactText: Result<Int, Diagnostic>]()
    private var byteCount = 0

    init(
        root: Node, version: OpenAPIVersion, sources: SourceFiles, source: any DocumentSource,
        sink: DiagnosticSink
    ) {
        let path = sources.paths[0]
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        files = [File(path: name, root: root)]
        known[name] = .success(0)
        self.version = version
        self.source = source
        self.sources = sources
        self.sink = sink
    }

    subscript(file: Int) -> File { files[file] }

    /// The file at a path. It is read on first use.
    func file(_ path: String, at position: SourcePosition) throws(Diagnostic) -> Int {
        if let known = known[path] {
            // The error was already reported.
            return try known.get()
        }
        do throws(Diagnostic) {
            let file = try load(path, at: position)
            known[path] = .success(file)
            return file
        } catch {
            known[path] = .failure(error)
            throw error
        }
    }

    private func load(_ path: String, at position: SourcePosition) throws(Diagnostic) -> Int {
        guard files.count < TreeLimits.files else {
            throw .error(.limit, "the document references more than \(TreeLimits.files) files", at: position)
        }
        let bytes: [UInt8]
        do throws(Diagnostic) {
            bytes = try source.read(path)
        } catch {
            throw .error(
                error.rule == .externalReference ? .externalReference : .unresolvedReference,
                "\"\(path)\" cannot be read: \(error.message)", at: position)
        }
        byteCount += bytes.count
        guard byteCount <= TreeLimits.bytes else {
            throw .error(
                .limit, "the document and its files are larger than \(TreeLimits.bytes) bytes", at: position)
        }
        let number = sources.add(sources.beside(path))
        let root: Node
        if path.hasSuffix(".md") || path.hasSuffix(".txt") {
            root = Node(value: .string(String(decoding: bytes, as: UTF8.self)), position: .start(of: number))
        } else {
            let tree = try DocumentReader.read(bytes, path: path, file: number, sink: sink)
            root = DynamicReferences.resolved(tree, as: .unknown, version: version)
        }
        files.append(File(path: path, root: root))
        return files.count - 1
    }
}
