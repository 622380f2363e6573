import OpenAPIGeneration

/// What `--help` prints.
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
        gateway-openapi: typed Swift clients from OpenAPI 3.0, 3.1 and 3.2 documents

        Usage:
          gateway-openapi generate SPEC --output DIR [options]
          gateway-openapi validate SPEC [options]
          gateway-openapi diff OLD NEW [options]
          gateway-openapi COMMAND --help
          gateway-openapi help config

        Commands:
          generate   Writes the Swift files of a client.
          validate   Checks a document and says what could not be generated.
          diff       Says what a new version of a document breaks.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi validate Petstore.openapi.yaml

        Exit status: 0 done, warnings allowed; 1 the document has errors; 2 wrong usage.
        diff: 0 compatible; 1 something breaks; 2 a document cannot be read, or wrong usage.

        """

    private static let diff = """
        gateway-openapi diff: says what a new version of a document breaks

        Usage:
          gateway-openapi diff OLD NEW [--format FORMAT] [--config FILE]

        Each change is judged from three sides: whether a request that a client of OLD makes is refused or no longer
        does what it says; whether it cannot read an answer; whether code that uses the generated client no longer
        compiles. The client that is thought of is a generated one: it reads values and variants that it does not
        know, ignores properties that it does not know, and checks no bounds.

        Options:
          --format FORMAT  text, one change a line, or json. Default: text.
          --config FILE    A configuration for both documents.

        Examples:
          gateway-openapi diff old/api.openapi.yaml api.openapi.yaml
          gateway-openapi diff old.json new.json --format json

        Exit status: 0 compatible; 1 something breaks; 2 a document cannot be read, or wrong usage.

        """

    private static let generate = """
        gateway-openapi generate: writes the Swift files of a client

        Usage:
          gateway-openapi generate SPEC --output DIR [options]

        SPEC is a document in YAML or JSON; it may refer to files in its folder and below. The set of files
        depends on the name alone; a file is written only if its bytes change.

        Options:
          --output DIR     Where the files go; made if it is missing.
          --name NAME      The namespace and the beginning of <NAME>Client. Default: the configuration's, else
                           the file's name up to .openapi., in upper camel; OpenAPI for openapi.yaml.
          --access LEVEL   public, package or internal. Default: the configuration's, else public.
          --both-directions  Every type can be read and written, whichever way the operations send it.
          --config FILE    The configuration. Default: <NAME>.gateway.yaml, .yml or .json beside SPEC, if there
                           is one; its keys: gateway-openapi help config.
          --strict         Warnings are errors, but for rules that the configuration names.
          --lock FILE      The Swift names that have to stay. Default: openapi.lock beside SPEC, if there is one.
          --update-lock    Writes the names of all types, methods, arguments, properties, cases and groups into that file;
                           check it in, and what is new never renames what was there.
                           Without --output nothing else is written.
          --layout LAYOUT  buckets: a fixed set of files, as builds need it; names: Operations/<Tag>.swift and
                           Schemas/<Name>.swift. Default: buckets. Files of SPEC that are no longer generated are
                           removed.
          --file-prefix P  What the files' names begin with. Default: the namespace.
          --check          Writes nothing; names the files that differ, and ends with 1 if there are any.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi generate api.json --output Generated --name Billing --access internal

        """

    private static let validate = """
        gateway-openapi validate: checks a document and says what could not be generated

        Usage:
          gateway-openapi validate SPEC [--config FILE] [--strict]

        Findings go to standard error, one a line: path:line:column: error: text [rule]

        Examples:
          gateway-openapi validate Petstore.openapi.yaml
          gateway-openapi validate api.json 2> findings.txt

        """

    private static var configuration: String {
        """
        The configuration of a document: <NAME>.gateway.yaml, .yml or .json beside <NAME>.openapi.yaml, or the file
        that --config names. Unknown keys are refused.

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
