/// The generator as a library: bytes of a document in, findings and Swift source out.
package struct Generator: Sendable {
    /// What a run gives.
    package struct Output: Sendable {
        /// All findings, in document order.
        package let diagnostics: [Diagnostic]
        /// The files; none if there is an error.
        package let files: [GeneratedFile]
        /// The paths of all files that were read, the document's first: what a finding's `file` counts.
        package let sources: [String]

        /// Whether a finding forbids to generate.
        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// The namespace of the generated types, an upper camel name.
    package var namespace: String
    /// Who sees the generated declarations.
    package var access: AccessLevel
    /// The beginning of a remote reference → the file or folder, below the document's, that stands in for it.
    package var remote: [String: String] = [:]

    /// A generator of one client.
    package init(namespace: String, access: AccessLevel = .public) {
        self.namespace = namespace
        self.access = access
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
        var run = SourceRun(path: path)
        let files = render(bytes, path: path, documents, sink, &run)
        return Output(
            diagnostics: sink.sorted.map { run.trail.explained($0) }, files: files, sources: run.sources)
    }

    private func render(
        _ bytes: [UInt8], path: String, _ documents: any DocumentSource, _ sink: DiagnosticSink,
        _ run: inout SourceRun
    ) -> [GeneratedFile] {
        do throws(Diagnostic) {
            var root = try DocumentReader.read(bytes, path: path, sink: sink)
            let version = try OpenAPIVersion.read(root)
            if BundleScan.isNeeded(root, version: version) {
                root = run.bundle(root, version: version, remote: remote, documents, sink)
                if sink.hasErrors { return [] }
            }
            KeywordCheck(version: version, sink: sink).check(root, as: .document)
            let document = DocumentTranslator(root: root, version: version, sink: sink).read()
            let model = CodeModel(document, namespace: namespace, sink: sink)
            if sink.hasErrors { return [] }
            let source = path.split(separator: "/").last.map { String($0) } ?? path
            return FileRenderer(model: model, source: source, access: access).files()
        } catch {
            sink.report(error)
            return []
        }
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

    /// Whether generated code can have a namespace of this name: an upper camel identifier that names nothing
    /// that generated code uses, and whose client is no such name either.
    package static func isValid(namespace: String) -> Bool {
        SwiftName.type(namespace) == namespace && SwiftName.type(namespace + "Client") == namespace + "Client"
            && SwiftName.escaped(namespace) == namespace && namespace != "GatewayClient"
            && namespace != "Gateway"
    }

    /// The files that `run` gives for a namespace, whatever the document.
    package static func fileNames(namespace: String) -> [String] {
        let names = GeneratedFile.names(namespace: namespace)
        return [names.client, names.failures] + names.operations + names.schemas
    }
}
