import OpenAPIGeneration

/// `generate SPEC`: writes the files of a client, or lists those that are out of date.
struct GenerateCommand {
    private typealias File = (path: String, text: String)

    let path: String
    /// The output folder. Nil: only the lock file or the file of declarations is written.
    let directory: String?
    let settings: Settings

    func run() -> Int32 {
        do throws(Diagnostic) {
            let progress = Progress()
            defer { progress.clear() }
            progress.show("reading \(path)")
            let bytes = try FileAccess.read(path)
            let generator = try settings.generator(of: path)
            progress.show("generating from \(path)")
            let output = generator.run(bytes, path: path, documents: LocalDocuments(besides: path))
            progress.clear()
            GatewayOpenAPITool.report(
                output.diagnostics, paths: output.sources, isVerbose: settings.isVerbose)
            if output.hasErrors { return ExitCode.document }
            var others: [File] = []
            if settings.updatesLock {
                others.append((settings.lockPath(of: path), try lock(with: output.names)))
            }
            if let place = settings.declarations, let text = output.declarations {
                others.append((place, text))
            }
            if settings.isCheck { return check(output, others) }
            progress.show("writing \(output.files.count) files")
            if let directory {
                try FileAccess.write(output.files, to: directory)
                try FileAccess.removeStale(output.files, in: directory, from: path)
            }
            for file in others { try FileAccess.write(file.text, to: file.path) }
            if directory != nil, let coverage = output.coverage {
                progress.clear()
                print("\(path): \(coverage.text)")
            }
            return ExitCode.success
        } catch {
            GatewayOpenAPITool.report([error], paths: [path])
            return ExitCode.document
        }
    }

    /// The content of the lock with this document's names; the names of other documents are kept.
    private func lock(with names: [ExactText: String]) throws(Diagnostic) -> String {
        let lockPath = settings.lockPath(of: path)
        var lock = FileAccess.exists(lockPath) ? try LockFile(FileAccess.read(lockPath)) : LockFile()
        lock.set(names, of: path.split(separator: "/").last.map { String($0) } ?? path)
        return lock.text
    }

    private func check(_ output: Generator.Output, _ others: [File]) -> Int32 {
        var differences =
            directory.map { FileAccess.differences(output.files, in: $0, from: path) } ?? []
        for file in others {
            let known = try? FileAccess.read(file.path)
            if known != Array(file.text.utf8) { differences.append("\(file.path): out of date") }
        }
        for line in differences { print(line) }
        return differences.isEmpty ? ExitCode.success : ExitCode.document
    }
}
