import CommandArguments
import GatewayLibC
import OpenAPIGeneration

/// The command-line tool of the generator: handles arguments and files.
@main
enum GatewayOpenAPITool {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch try Commands.program.invocation(arguments) {
            case .text(let text):
                print(text, terminator: "")
                exit(ExitCode.success)
            case .command(let action, let arguments): exit(try action(arguments))
            }
        } catch let error as UsageError {
            Terminal.error(Commands.program.text(of: error))
            exit(ExitCode.usage)
        } catch {
            Terminal.error("\(error)")
            exit(ExitCode.document)
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

/// The exit statuses of the tool.
enum ExitCode {
    /// Success, possibly with warnings.
    static let success: Int32 = 0
    /// The document has errors, or a file cannot be read or written. For `diff`: there are breaking changes. For
    /// `--check`: files are out of date.
    static let document: Int32 = 1
    /// The command line is invalid, or `diff` cannot read a document.
    static let usage: Int32 = 2
}
