import OpenAPIGeneration

/// The output of `--help`.
enum HelpText {
    static func text(for command: String?) -> String {
        switch command {
        case "generate": generate
        case "validate": validate
        case "diff": diff
        case "config", "configuration": configuration
        default: tool
        }
    }

    private static let tool = """
        gateway-openapi: generates typed Swift clients from OpenAPI 3.0, 3.1 and 3.2 documents

        Usage:
          gateway-openapi generate SPEC --output DIR [options]
          gateway-openapi validate SPEC [options]
          gateway-openapi diff OLD NEW [options]
          gateway-openapi COMMAND --help
          gateway-openapi help config

        Commands:
          generate   Generates the Swift files of a client.
          validate   Checks a document and lists what cannot be generated.
          diff       Lists the changes between two versions of a document and marks the breaking ones.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi validate Petstore.openapi.yaml

        Exit status: 0 success, possibly with warnings; 1 errors in the document; 2 invalid command line.
        diff: 0 compatible; 1 breaking changes; 2 invalid command line, or a document cannot be read.

        """

    private static let diff = """
        gateway-openapi diff: lists the changes between two versions of a document

        Usage:
          gateway-openapi diff OLD NEW [--format FORMAT] [--config FILE]

        Each change has three verdicts, compatible or breaking:
          request    breaking if a request of a client of OLD is rejected or has a different effect
          response   breaking if a client of OLD cannot decode a response
          Swift      breaking if code that uses the client of OLD does not compile with the client of NEW
        The client is a generated client: it decodes unknown enum values and union branches, ignores unknown
        properties, and does not validate responses.

        Options:
          --format FORMAT  text (one change per line) or json. Default: text.
          --config FILE    The configuration for both documents. Default: none.

        Examples:
          gateway-openapi diff old/api.openapi.yaml api.openapi.yaml
          gateway-openapi diff old.json new.json --format json

        Exit status: 0 compatible; 1 breaking changes; 2 invalid command line, or a document cannot be read.

        """

    private static let generate = """
        gateway-openapi generate: generates the Swift files of a client

        Usage:
          gateway-openapi generate SPEC --output DIR [options]

        SPEC is an OpenAPI document in YAML or JSON. It may reference files in its folder and below. A file is
        written only if its content changed.

        Options:
          --output DIR     The output directory. Created if it does not exist.
          --name NAME      The namespace, and the prefix of <NAME>Client. Default: "name" of the configuration,
                           otherwise the file name up to .openapi. in UpperCamelCase (openapi.yaml: OpenAPI).
          --access LEVEL   Access level of the generated declarations: public, package or internal.
                           Default: "access" of the configuration, otherwise public.
          --config FILE    The configuration file. Default: <NAME>.gateway.yaml, .yml or .json next to SPEC, if it
                           exists. For its keys, see: gateway-openapi help config.
          --strict         Warnings are errors, except for rules that the configuration sets in "diagnostics".
          --lock FILE      The lock file with the Swift names to keep. Default: openapi.lock next to SPEC, if it
                           exists.
          --update-lock    Writes the names of all types, methods, arguments, properties, cases and groups to the
                           lock file. Commit it: additions to the document then never rename existing names.
                           Without --output, only the lock file is written.
          --layout LAYOUT  buckets: a fixed set of files, for build plugins; names: Operations/<Tag>.swift and
                           Schemas/<Name>.swift. Default: buckets. Files of SPEC that are no longer generated are
                           deleted.
          --file-prefix P  The prefix of the file names. Default: the namespace.
          --check          Writes nothing. Lists the files that are out of date; exits with 1 if there are any.
          --verbose        Lists every warning. Default: more than 10 warnings of one rule become one line.

        The last line of the output counts operations and schemas. Degraded: a part falls back to a general type or is
        skipped, with a warning. Skipped: not in the generated code, with a warning.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi generate api.json --output Generated --name Billing --access internal

        """

    private static let validate = """
        gateway-openapi validate: checks a document and lists what cannot be generated

        Usage:
          gateway-openapi validate SPEC [--config FILE] [--strict] [--verbose]

        Diagnostics are printed to standard error, one per line: path:line:column: error: text [rule]
        More than 10 warnings of one rule become one line with their count; --verbose lists all. The last line counts
        operations and schemas. Degraded: a part falls back to a general type or is skipped, with a warning. Skipped:
        not in the generated code, with a warning.

        Examples:
          gateway-openapi validate Petstore.openapi.yaml
          gateway-openapi validate api.json 2> findings.txt

        """

    private static var configuration: String {
        """
        The configuration of a document: <NAME>.gateway.yaml, .yml or .json next to <NAME>.openapi.yaml, or the
        file given with --config. Unknown keys are errors.

        Keys:

        """ + ConfigurationKey.help + """

            Example:
              access: internal
              include: { tags: [pets] }
              names: { '#/components/schemas/pet_v2': Pet }
              diagnostics: { unsupported-schema: error }

            """
    }
}
