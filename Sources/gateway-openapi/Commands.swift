import CommandArguments
import OpenAPIGeneration

/// The commands of `gateway-openapi`.
enum Commands {
    typealias Action = @Sendable (ParsedArguments) throws -> Int32
    typealias Command = CommandSpec<Action>

    static let program: ProgramSpec<Action> = {
        var program = ProgramSpec(
            name: "gateway-openapi", commands: [generate, validate, diff], help: { HelpText.tool })
        program.topics = [
            "config": { HelpText.configuration }, "configuration": { HelpText.configuration },
        ]
        return program
    }()

    private static let generate = Command(
        name: "generate", arguments: "SPEC --output DIR [options]", limit: 1,
        summary: "generates the Swift files of a client",
        details: [
            "SPEC is an OpenAPI document in YAML or JSON. It may reference files in its folder and below. A file is",
            "written only if its content changed.",
            "",
            "The last line of the output counts operations and schemas. Degraded: a part falls back to a general type or is",
            "skipped, with a warning. Skipped: not in the generated code, with a warning.",
        ],
        options: [
            OptionSpec(
                "--output", nil, .file("DIR"),
                help: "The output directory. Created if it does not exist."),
            OptionSpec(
                "--name", nil, .text("NAME"),
                help:
                    "The namespace, and the prefix of <NAME>Client. Default: \"name\" of the configuration,",
                "otherwise the file name up to .openapi. in UpperCamelCase (openapi.yaml: OpenAPI)."),
            OptionSpec(
                "--access", nil, .text("LEVEL"),
                help: "Access level of the generated declarations: public, package or internal.",
                "Default: \"access\" of the configuration, otherwise public."),
            OptionSpec(
                "--config", nil, .file("FILE"),
                help:
                    "The configuration file. Default: <NAME>.gateway.yaml, .yml or .json next to SPEC, if it",
                "exists. For its keys, see: gateway-openapi help config."),
            OptionSpec(
                "--strict",
                help: "Warnings are errors, except for rules that the configuration sets in \"diagnostics\"."),
            OptionSpec(
                "--lock", nil, .file("FILE"),
                help: "The lock file with the Swift names to keep. Default: openapi.lock next to SPEC, if it",
                "exists."),
            OptionSpec(
                "--update-lock",
                help:
                    "Writes the names of all types, methods, arguments, properties, cases and groups to the",
                "lock file. Commit it: additions to the document then never rename existing names.",
                "Without --output, only the lock file is written."),
            OptionSpec(
                "--declarations", nil, .file("FILE"),
                help:
                    "Writes the declarations of the client to FILE as JSON: types, properties, cases, methods,",
                "parameters and their Swift types. For tools that write code that uses the client."),
            OptionSpec(
                "--layout", nil, .text("LAYOUT"),
                help: "buckets: a fixed set of files, for build plugins; names: Operations/<Tag>.swift and",
                "Schemas/<Name>.swift. Default: buckets. Files of SPEC that are no longer generated are",
                "deleted."),
            OptionSpec(
                "--file-prefix", nil, .text("P"),
                help: "The prefix of the file names. Default: the namespace."),
            OptionSpec(
                "--module", nil, .text("MODULE"),
                help:
                    "The module of the generated files. They use its types that the configuration names without an",
                "import."),
            OptionSpec(
                "--check",
                help: "Writes nothing. Lists the files that are out of date; exits with 1 if there are any."),
            OptionSpec(
                "--verbose",
                help: "Lists every warning. Default: more than 10 warnings of one rule become one line."),
        ],
        examples: [
            "gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore",
            "gateway-openapi generate api.json --output Generated --name Billing --access internal",
        ],
        action: { arguments in
            let path = try document(arguments)
            let output = arguments.value("--output")
            // Without a folder, only the lock and the declarations are written.
            let isFileOnly = arguments.has("--update-lock") || arguments.value("--declarations") != nil
            guard output.map({ !$0.isEmpty }) ?? isFileOnly else {
                throw arguments.error("--output DIR is required")
            }
            return GenerateCommand(path: path, directory: output, settings: try Settings(arguments)).run()
        })

    private static let validate = Command(
        name: "validate", arguments: "SPEC [options]", limit: 1,
        summary: "checks a document and lists what cannot be generated",
        details: [
            "Diagnostics are printed to standard error, one per line: path:line:column: error: text [rule]",
            "More than 10 warnings of one rule become one line with their count; --verbose lists all. The last line counts",
            "operations and schemas. Degraded: a part falls back to a general type or is skipped, with a warning. Skipped:",
            "not in the generated code, with a warning.",
        ],
        options: generate.options.filter { ["--config", "--strict", "--verbose"].contains($0.name) },
        examples: [
            "gateway-openapi validate Petstore.openapi.yaml",
            "gateway-openapi validate api.json 2> findings.txt",
        ],
        action: { arguments in
            let path = try document(arguments)
            return ValidateCommand(path: path, settings: try Settings(arguments)).run()
        })

    private static let diff = Command(
        name: "diff", arguments: "OLD NEW [--format FORMAT] [--config FILE]", limit: 2,
        summary: "lists the changes between two versions of a document",
        details: [
            "Each change has three verdicts, compatible or breaking:",
            "  request    breaking if a request of a client of OLD is rejected or has a different effect",
            "  response   breaking if a client of OLD cannot decode a response",
            "  Swift      breaking if code that uses the client of OLD does not compile with the client of NEW",
            "The client is a generated client: it decodes unknown enum values and union branches, ignores unknown",
            "properties, and does not validate responses.",
        ],
        options: [
            OptionSpec(
                "--format", nil, .text("FORMAT"),
                help: "text (one change per line) or json. Default: text."),
            OptionSpec(
                "--config", nil, .file("FILE"),
                help: "The configuration for both documents. Default: none."),
        ],
        examples: [
            "gateway-openapi diff old/api.openapi.yaml api.openapi.yaml",
            "gateway-openapi diff old.json new.json --format json",
        ],
        end:
            "Exit status: 0 compatible; 1 breaking changes; 2 invalid command line, or a document cannot be read.",
        action: { arguments in
            let format = try arguments.choices("--format", of: ["text", "json"], named: { $0 }).first
            let documents = arguments.positional
            guard documents.count == 2 else {
                throw arguments.error("expected 2 documents, found \(documents.count)")
            }
            return DiffCommand(
                old: documents[0], new: documents[1], isJSON: format == "json",
                settings: try Settings(arguments)
            ).run()
        })

    /// The path of the document: the first positional argument. Throws if it is missing.
    private static func document(_ arguments: ParsedArguments) throws(UsageError) -> String {
        guard let path = arguments.positional.first else { throw arguments.error("missing document") }
        return path
    }
}
