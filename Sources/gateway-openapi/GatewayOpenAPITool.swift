import OpenAPIGeneration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The command line of the generator: arguments and files, nothing else.
@main
enum GatewayOpenAPITool {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(UsageError) {
            exit(try run(Invocation(arguments)))
        } catch {
            Terminal.error(error.text)
            exit(ExitCode.usage)
        }
    }

    private static func run(_ invocation: Invocation) -> Int32 {
        switch invocation {
        case .help(let text):
            print(text, terminator: "")
            return ExitCode.success
        case .validate(let path, let settings):
            return ValidateCommand(path: path, settings: settings).run()
        case .generate(let path, let directory, let settings):
            return GenerateCommand(path: path, directory: directory, settings: settings).run()
        case .diff(let old, let new, let isJSON, let settings):
            return DiffCommand(old: old, new: new, isJSON: isJSON, settings: settings).run()
        }
    }

    /// Prints the diagnostics of a document.
    ///
    /// - Parameter isVerbose: Whether each warning has its own line.
    static func report(_ diagnostics: [Diagnostic], paths: [String], isVerbose: Bool = false) {
        let printer = DiagnosticPrinter(paths: paths, usesColour: Terminal.showsColour)
        Terminal.errorRaw(printer.text(of: diagnostics, limit: isVerbose ? nil : DiagnosticPrinter.limit))
    }
}

/// The exit status.
enum ExitCode {
    /// Success, possibly with warnings.
    static let success: Int32 = 0
    /// The document has errors, or a file cannot be read or written. For `diff`: there are breaking changes. For
    /// `--check`: files are out of date.
    static let document: Int32 = 1
    /// The command line is invalid. For `diff`: or a document cannot be read.
    static let usage: Int32 = 2
}
