/// The generator as a library: bytes of a document in, findings and Swift source out.
package struct Generator: Sendable {
    /// What a run gives.
    package struct Output: Sendable {
        /// All findings, in document order.
        package let diagnostics: [Diagnostic]
        /// The files; none if there is an error.
        package let files: [GeneratedFile]
        /// The Swift names of types and methods by their places, for `openapi.lock`.
        package let names: [String: String]
        /// The paths of all files that were read, the document's first: what a finding's `file` counts.
        package let sources: [String]

        /// Whether a finding forbids to generate.
        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// A file that was read.
    package struct Input: Sendable {
        /// Its content.
        package let bytes: [UInt8]
        /// Its path, as the user would write it.
        package let path: String

        /// A file's content and path.
        package init(bytes: [UInt8], path: String) {
            self.bytes = bytes
            self.path = path
        }
    }

    /// The namespace of the generated types, an upper camel name. Nil: the configuration's, else by the
    /// document's file name.
    package var namespace: String?
    /// Who sees the generated declarations. Nil: the configuration's, else `public`.
    package var access: AccessLevel?
    /// How the source is spread over files.
    package var layout = FileLayout.buckets
    /// What the files' names begin with. Nil: the namespace, and in the layout by names nothing.
    package var filePrefix: String?
    /// The configuration file.
    package var configuration: Input?
    /// Whether every warning is an error, whatever the configuration says of all of them.
    package var isStrict = false
    /// The file with the names that have to stay.
    package var lock: Input?

    /// Whether the names of properties and cases are given, too: they are many, and for a lock alone.
    package var givesNames = true

    /// Whether every type can be read and written, whichever way the operations send it: for servers of your own
    /// in tests. It costs a third more code.
    package var isBothWays = false

    /// A generator of one client.
    package init(namespace: String? = nil, access: AccessLevel? = nil) {
        self.namespace = namespace
        self.access = access
    }

    /// The first line of every file of a document, by which its files are known again.
    package static func firstLine(ofFilesFrom path: String) -> String {
        let source = path.split(separator: "/").last.map { String($0) } ?? path
        return FileRenderer.firstLine(source)
    }

    /// Reads, checks and renders one document.
    ///
    /// - Parameters:
    ///   - bytes: The document, JSON or YAML in UTF-8.
    ///   - path: Its path; the extension `.json` means JSON, and the last component stands in the first line
    ///     of each file.
    ///   - documents: The files that the document may refer to.
    package func run(
        _ bytes: [UInt8], path: String, documents: any DocumentSource = NoDocuments()
    ) -> Output {
        let sink = DiagnosticSink()
        var run = SourceRun(path: path, documents: documents, sink: sink)
        var result: (files: [GeneratedFile], names: [String: String]) = ([], [:])
        do throws(Diagnostic) {
            result = try render(bytes, path: path, &run)
        } catch {
            sink.report(error)
        }
        let diagnostics = run.finished(sink.sorted)
        let hasErrors = diagnostics.contains { $0.severity == .error }
        return Output(
            diagnostics: diagnostics, files: hasErrors ? [] : result.files, names: result.names,
            sources: run.sources.paths)
    }

    private func render(
        _ bytes: [UInt8], path: String, _ run: inout SourceRun
    ) throws(Diagnostic) -> (files: [GeneratedFile], names: [String: String]) {
        if let configuration { try run.configure(configuration) }
        if isStrict { run.demandStrictness() }
        guard !run.sink.hasErrors, let (root, version) = try run.document(bytes) else { return ([], [:]) }
        KeywordCheck(version: version, sink: run.sink).check(root, as: .document)
        var document = DocumentTranslator(root: root, version: version, sink: run.sink).read()
        if run.configuration.validation == .requests {
            document.rules = RuleCompiler(root: root, version: version, sink: run.sink)
                .table(for: document.operations)
        }
        let source = path.split(separator: "/").last.map { String($0) } ?? path
        let namespace = namespace ?? run.configuration.name ?? Self.namespace(ofFile: source)
        let lock = NameLock(
            locked: try run.lock(lock).names(of: source), chosen: run.chosenNames(in: document))
        var model = CodeModel(
            document, namespace: namespace, lock: lock,
            isBothWays: isBothWays, pagination: run.configuration.pagination.mapValues(\.value),
            sink: run.sink)
        model.equality = run.configuration.equality
        run.checkNames(model.settled)
        if run.sink.hasErrors { return ([], [:]) }
        var renderer = FileRenderer(
            model: model, source: source, access: access ?? run.configuration.access ?? .public,
            prefix: filePrefix ?? namespace)
        renderer.hasProtocols = run.configuration.hasProtocols
        let files =
            layout == .names ? renderer.namedFiles(sharesModule: filePrefix != nil) : renderer.files()
        return (files, givesNames ? model.allSettled : model.settled)
    }

    /// The namespace that a file name gives: `<Name>.openapi.yaml` is `<Name>`, `openapi.yaml` is `OpenAPI`.
    package static func namespace(ofFile name: String) -> String {
        var stem = name[...]
        if let dot = stem.lastIndex(of: "."), dot > stem.startIndex { stem = stem[..<dot] }
        let lower = stem.lowercased()
        if lower.hasSuffix(".openapi") { stem = stem.dropLast(".openapi".count) }
        if lower == "openapi" || stem.isEmpty { return "OpenAPI" }
        return SwiftName.type(String(stem))
    }

    /// The names that the configuration of a document has, best first: `<Name>.gateway.yaml` beside
    /// `<Name>.openapi.yaml`.
    package static func configurationNames(ofFile name: String) -> [String] {
        // In order of preference.
        var stem = name[...]
        for suffix in [".yaml", ".yml", ".json"] where stem.lowercased().hasSuffix(suffix) {
            stem = stem.dropLast(suffix.count)
            break
        }
        if stem.lowercased().hasSuffix(".openapi") { stem = stem.dropLast(".openapi".count) }
        return ["yaml", "yml", "json"].map { stem + ".gateway." + $0 }
    }

    /// Whether generated code can have a namespace of this name: an upper camel identifier that names nothing
    /// that generated code uses, and whose client is no such name either.
    package static func isValid(namespace: String) -> Bool {
        SwiftName.type(namespace) == namespace && SwiftName.type(namespace + "Client") == namespace + "Client"
            && SwiftName.escaped(namespace) == namespace && namespace != "GatewayClient"
            && namespace != "Gateway"
    }

    /// Whether the names of files can begin with a text: a word of letters, digits and underscores. It may be one that
    /// generated code uses, for it names nothing there.
    package static func isValid(filePrefix: String) -> Bool {
        let words = SwiftName.words(filePrefix).joined()
        return words == filePrefix.filter { $0 != "_" } && !words.isEmpty && filePrefix.utf8.count <= 100
    }

    /// The files that `run` gives for a namespace, whatever the document.
    package static func fileNames(namespace: String) -> [String] {
        let names = GeneratedFile.names(namespace: namespace)
        return [names.client, names.failures, names.webhooks] + names.operations + names.schemas
    }
}
