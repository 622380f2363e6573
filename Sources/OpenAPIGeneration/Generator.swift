/// The generator as a library: takes the bytes of a document, returns diagnostics and Swift source.
package struct Generator: Sendable {
    /// The result of a run.
    package struct Output: Sendable {
        /// All diagnostics, in document order.
        package let diagnostics: [Diagnostic]
        /// The files; empty if there is an error.
        package let files: [GeneratedFile]
        /// The Swift names of types and methods by their JSON Pointers, for `openapi.lock`.
        package let names: [ExactText: String]
        /// The paths of all files that were read, the document first. `SourcePosition.file` is an index into it.
        package let sources: [String]
        /// The coverage of the document by the generated code. Nil if there is an error.
        package let coverage: Coverage?
        /// The declarations of the client as JSON. Nil if there is an error, or without `givesDeclarations`.
        package let declarations: String?

        /// Whether any diagnostic is an error.
        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// An input file.
    package struct Input: Sendable {
        /// Its content.
        package let bytes: [UInt8]
        /// Its path, as shown to the user.
        package let path: String

        /// A file's content and path.
        package init(bytes: [UInt8], path: String) {
            self.bytes = bytes
            self.path = path
        }
    }

    /// The namespace of the generated types, in UpperCamelCase. Nil: from the configuration, otherwise from the file
    /// name of the document.
    package var namespace: String?
    /// The access level of the generated declarations. Nil: from the configuration, otherwise `public`.
    package var access: AccessLevel?
    /// The layout of the generated files.
    package var layout = FileLayout.buckets
    /// The prefix of the file names. Nil: the namespace; for `FileLayout.names`, no prefix.
    package var filePrefix: String?
    /// The module of the generated files. Types of this module are used without an import.
    package var module: String?
    /// The configuration file.
    package var configuration: Input?
    /// Whether all warnings are errors, except for rules that the configuration sets.
    package var isStrict = false
    /// The lock file with the Swift names to keep.
    package var lock: Input?

    /// Whether `Output.names` includes properties and cases, which only a lock file requires.
    package var givesNames = true

    /// Whether `Output.declarations` is set.
    package var givesDeclarations = false

    /// Creates a generator for one client.
    package init(namespace: String? = nil, access: AccessLevel? = nil) {
        self.namespace = namespace
        self.access = access
    }

    /// The first line of every file generated from a document. It identifies the files of the document.
    package static func firstLine(ofFilesFrom path: String) -> String {
        let source = path.split(separator: "/").last.map { String($0) } ?? path
        return FileRenderer.firstLine(source)
    }

    /// Reads, checks and renders one document.
    ///
    /// - Parameters:
    ///   - bytes: The document, JSON or YAML in UTF-8.
    ///   - path: Its path. The extension `.json` selects JSON; the last component is part of the first line of each
    ///     file.
    ///   - documents: The files that the document may refer to.
    package func run(
        _ bytes: [UInt8], path: String, documents: any DocumentSource = NoDocuments()
    ) -> Output {
        let sink = DiagnosticSink()
        var run = SourceRun(path: path, documents: documents, sink: sink)
        var result: Rendering?
        do throws(Diagnostic) {
            result = try render(bytes, path: path, &run)
        } catch {
            sink.report(error)
        }
        let diagnostics = run.finished(sink.sorted)
        let hasErrors = diagnostics.contains { $0.severity == .error }
        return Output(
            diagnostics: diagnostics, files: hasErrors ? [] : result?.files ?? [],
            names: result?.names ?? [:], sources: run.sources.paths,
            coverage: hasErrors ? nil : result?.coverage,
            declarations: hasErrors ? nil : result?.declarations)
    }

    private typealias Rendering = (
        files: [GeneratedFile], names: [ExactText: String], coverage: Coverage, declarations: String?
    )

    /// Nil after errors.
    private func render(
        _ bytes: [UInt8], path: String, _ run: inout SourceRun
    ) throws(Diagnostic) -> Rendering? {
        if let configuration { try run.configure(configuration) }
        if isStrict { run.makeStrict() }
        guard !run.sink.hasErrors, let (root, version) = try run.document(bytes) else { return nil }
        KeywordCheck(version: version, sink: run.sink).check(root)
        let ownTypes = run.configuration.ownTypes
        var document = DocumentTranslator(
            root: root, version: version, ownTypes: ownTypes, sink: run.sink
        ).read()
        if run.configuration.validation == .requests {
            document.rules = RuleCompiler(root: root, version: version, sink: run.sink)
                .table(for: document.operations)
        }
        let source = path.split(separator: "/").last.map { String($0) } ?? path
        let namespace = namespace ?? run.configuration.name ?? Self.namespace(ofFile: source)
        let lock = NameLock(
            locked: try run.lock(lock).names(of: source), chosen: run.chosenNames(in: document))
        let resolver = ReferenceResolver(root: root)
        let model = CodeModel(
            document, namespace: namespace, lock: lock,
            bothDirections: run.configuration.bothDirections.followed(by: resolver),
            unknownProperties: run.configuration.unknownProperties.followed(by: resolver),
            pagination: run.configuration.pagination.mapValues(\.value), sink: run.sink)
        model.equality = run.configuration.equality
        run.checkNames(model.settled, in: document, resolver)
        run.checkOwnTypes(in: model)
        if run.sink.hasErrors { return nil }
        let renderer = FileRenderer(
            model, source: source, access: access ?? run.configuration.access ?? .public,
            prefix: filePrefix ?? namespace, module: module, hasProtocols: run.configuration.hasProtocols)
        let files =
            layout == .names ? renderer.namedFiles(sharesModule: filePrefix != nil) : renderer.files()
        let coverage = Coverage(document, root: root, resolver: resolver, warnings: run.sink.all)
        return (
            files, givesNames ? model.allSettled : model.settled, coverage,
            givesDeclarations ? DeclarationList(model: model).text : nil
        )
    }

    /// The namespace for a file name: `<Name>.openapi.yaml` is `<Name>`, `openapi.yaml` is `OpenAPI`.
    package static func namespace(ofFile name: String) -> String {
        var stem = name[...]
        if let dot = stem.lastIndex(of: "."), dot > stem.startIndex { stem = stem[..<dot] }
        let lower = stem.lowercased()
        if lower.hasSuffix(".openapi") { stem = stem.dropLast(".openapi".count) }
        if lower == "openapi" || stem.isEmpty { return "OpenAPI" }
        return SwiftName.type(String(stem))
    }

    /// The file names of the configuration of a document, in order of preference: `<Name>.gateway.yaml` next to
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

    /// Whether a namespace is valid: an UpperCamelCase identifier that, like its client name, does not collide with a
    /// name that generated code uses.
    package static func isValid(namespace: String) -> Bool {
        SwiftName.type(namespace) == namespace && SwiftName.type(namespace + "Client") == namespace + "Client"
            && SwiftName.escaped(namespace) == namespace && namespace != "GatewayClient"
            && namespace != "Gateway"
    }

    /// Whether a file prefix is valid: letters, digits and underscores. Names that generated code uses are allowed
    /// because the prefix does not occur in code.
    package static func isValid(filePrefix: String) -> Bool {
        let words = SwiftName.words(filePrefix).joined()
        return words == filePrefix.filter { $0 != "_" } && !words.isEmpty && filePrefix.utf8.count <= 100
    }

    /// The names of the files that `run` returns for a namespace, independent of the document.
    package static func fileNames(namespace: String) -> [String] {
        let names = GeneratedFile.names(namespace: namespace)
        return [names.client, names.failures, names.webhooks] + names.operations + names.schemas
    }
}
