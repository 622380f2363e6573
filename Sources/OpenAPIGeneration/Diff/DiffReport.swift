/// The changes between two documents, and how they are printed.
package struct DiffReport: Sendable {
    /// In a stable order.
    package let changes: [Change]
    /// The paths of the documents and all their files, in the order of their numbers in positions.
    let oldPaths: [String]
    let newPaths: [String]

    /// Whether any change is breaking.
    package var isBreaking: Bool { changes.contains { $0.isBreaking } }

    /// The report as text: one change per line, then a count.
    package var text: String {
        var result = ""
        for change in changes {
            result +=
                place(of: change) + (change.isBreaking ? "breaking: " : "compatible: ")
                + PrintableText.oneLine("\(change.message), at \(change.place)")
                + " (request \(change.request.rawValue), response \(change.response.rawValue), Swift "
                + "\(change.swift.rawValue)) [\(change.rule)]\n"
        }
        let breaking = changes.count { $0.isBreaking }
        return result + "\(changes.count) change\(changes.count == 1 ? "" : "s"), \(breaking) breaking\n"
    }

    private func place(of change: Change) -> String {
        let paths = change.isInOld ? oldPaths : newPaths
        guard let position = change.position else { return (paths.first ?? "") + ": " }
        let file = Int(position.file)
        return "\(file < paths.count ? paths[file] : ""):\(position.line):\(position.column): "
    }

    /// The report as one JSON object. Deterministic.
    package var json: String {
        var lines: [String] = []
        for change in changes {
            var members: [(name: String, value: String?)] = [
                ("rule", JSONText.quoted(change.rule)), ("place", JSONText.quoted(change.place)),
                ("message", JSONText.quoted(change.message)),
                ("request", JSONText.quoted(change.request.rawValue)),
                ("response", JSONText.quoted(change.response.rawValue)),
                ("swift", JSONText.quoted(change.swift.rawValue)),
                ("document", JSONText.quoted(change.isInOld ? "old" : "new")),
            ]
            if let position = change.position {
                let paths = change.isInOld ? oldPaths : newPaths
                let file = Int(position.file)
                members.append(("file", JSONText.quoted(file < paths.count ? paths[file] : "")))
                members.append(("line", String(position.line)))
                members.append(("column", String(position.column)))
            }
            lines.append("    " + JSONText.object(members))
        }
        return "{\n  \"compatible\": \(!isBreaking),\n  \"changes\": ["
            + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n  ") + "]\n}\n"
    }
}

/// Thrown when two documents cannot be compared: the diagnostics of the document that cannot be read.
package struct DiffFailure: Error {
    /// The diagnostics, with at least one error.
    package let diagnostics: [Diagnostic]
    /// The paths of the files that their positions refer to.
    package let sources: [String]
}

extension Generator {
    /// Compares two documents as this generator would read them.
    ///
    /// - Throws: The diagnostics of the first document that has errors.
    package func diff(
        _ old: Input, _ oldDocuments: any DocumentSource, _ new: Input, _ newDocuments: any DocumentSource
    ) throws(DiffFailure) -> DiffReport {
        let before = try read(old, oldDocuments)
        let after = try read(new, newDocuments)
        let changes = DocumentDiff(old: before.document, new: after.document).changes()
        return DiffReport(changes: changes, oldPaths: before.paths, newPaths: after.paths)
    }

    private func read(
        _ input: Input, _ documents: any DocumentSource
    ) throws(DiffFailure) -> (document: DiffDocument, paths: [String]) {
        let sink = DiagnosticSink()
        var run = SourceRun(path: input.path, documents: documents, sink: sink)
        var result: DiffDocument?
        do throws(Diagnostic) {
            if let configuration { try run.configure(configuration) }
            if let (root, version) = try run.document(input.bytes) {
                let translator = DocumentTranslator(
                    root: root, version: version, ownTypes: run.configuration.ownTypes, sink: sink)
                let document = translator.read()
                let model = CodeModel(
                    document, namespace: namespace ?? run.configuration.name ?? "API", sink: sink)
                result = DiffDocument(
                    root: root, resolver: translator.resolver,
                    // Each schema is read once for each direction that uses it.
                    schemas: SchemaTranslator(
                        resolver: translator.resolver, version: version, limit: 16 * TreeLimits.schemas,
                        sink: DiagnosticSink()),
                    names: model.allSettled,
                    calls: Dictionary(model.operations.map { ($0.operation.pointer, DiffCall($0)) }) {
                        first, _ in first
                    },
                    servers: ServerPlanner(document.servers))
            }
        } catch {
            sink.report(error)
        }
        guard let result, !sink.hasErrors else {
            throw DiffFailure(
                diagnostics: run.finished(sink.sorted).filter { $0.severity == .error },
                sources: run.sources.paths)
        }
        return (result, run.sources.paths)
    }
}
