import OpenAPIGeneration

/// `validate SPEC`: lists the errors of a document and the parts that cannot be generated.
struct ValidateCommand {
    let path: String
    let settings: Settings

    func run() -> Int32 {
        let progress = Progress()
        do throws(Diagnostic) {
            progress.show("reading \(path)")
            let bytes = try FileAccess.read(path)
            let generator = try settings.generator(of: path)
            progress.show("checking \(path)")
            let output = generator.run(bytes, path: path, documents: LocalDocuments(besides: path))
            progress.clear()
            GatewayOpenAPITool.report(
                output.diagnostics, paths: output.sources, isVerbose: settings.isVerbose)
            if output.hasErrors { return ExitCode.document }
            let count = output.diagnostics.count
            let warnings = "\(count == 0 ? "no" : String(count)) warning\(count == 1 ? "" : "s")"
            print("\(path): valid, \(warnings)" + (output.coverage.map { ": \($0.text)" } ?? ""))
            return ExitCode.success
        } catch {
            progress.clear()
            GatewayOpenAPITool.report([error], paths: [path])
            return ExitCode.document
        }
    }
}
