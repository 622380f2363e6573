import OpenAPIGeneration

/// `diff OLD NEW`: lists the changes between two versions of a document and marks the breaking ones.
struct DiffCommand {
    let old: String
    let new: String
    let isJSON: Bool
    let settings: Settings
    /// Cleared before anything else is printed.
    let progress = Progress()

    func run() -> Int32 {
        do throws(Diagnostic) {
            var generator = Generator(namespace: nil)
            if let path = settings.configuration {
                generator.configuration = Generator.Input(bytes: try FileAccess.read(path), path: path)
            }
            guard let before = read(old), let after = read(new) else { return ExitCode.usage }
            return try compare(before, after, generator)
        } catch {
            GatewayOpenAPITool.report([error], paths: [settings.configuration ?? old])
            return ExitCode.usage
        }
    }

    private func compare(
        _ before: Generator.Input, _ after: Generator.Input, _ generator: Generator
    ) throws(Diagnostic) -> Int32 {
        do throws(DiffFailure) {
            progress.show("comparing \(old) and \(new)")
            let report = try generator.diff(
                before, LocalDocuments(besides: old), after, LocalDocuments(besides: new))
            progress.clear()
            print(isJSON ? report.json : report.text, terminator: "")
            return report.isBreaking ? ExitCode.document : ExitCode.success
        } catch {
            progress.clear()
            GatewayOpenAPITool.report(error.diagnostics, paths: error.sources)
            return ExitCode.usage
        }
    }

    private func read(_ path: String) -> Generator.Input? {
        progress.show("reading \(path)")
        defer { progress.clear() }
        do throws(Diagnostic) {
            return Generator.Input(bytes: try FileAccess.read(path), path: path)
        } catch {
            progress.clear()
            GatewayOpenAPITool.report([error], paths: [path])
            return nil
        }
    }
}
