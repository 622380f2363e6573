/// What `--help` prints.
enum HelpText {
    static func text(for command: String?) -> String {
        switch command {
        case "generate": generate
        case "validate": validate
        default: tool
        }
    }

    private static let tool = """
        gateway-openapi: typed Swift clients from OpenAPI 3.0 and 3.1 documents

        Usage:
          gateway-openapi generate SPEC --output DIR [--name NAME] [--access LEVEL]
          gateway-openapi validate SPEC
          gateway-openapi COMMAND --help

        Commands:
          generate   Writes the Swift files of a client.
          validate   Checks a document and says what could not be generated.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi validate Petstore.openapi.yaml

        Exit status: 0 done, warnings allowed; 1 the document has errors; 2 wrong usage.

        """

    private static let generate = """
        gateway-openapi generate: writes the Swift files of a client

        Usage:
          gateway-openapi generate SPEC --output DIR [--name NAME] [--access LEVEL]

        SPEC is a document in YAML or JSON; it may refer to files in its folder and below. The set of files
        depends on the name alone; a file is written only if its bytes change.

        Options:
          --output DIR     Where the files go; made if it is missing.
          --name NAME      The namespace and the beginning of <NAME>Client. Default: the file's name up to
                           .openapi., in upper camel; OpenAPI for openapi.yaml.
          --access LEVEL   public, package or internal. Default: public.

        Examples:
          gateway-openapi generate Petstore.openapi.yaml --output Sources/Petstore
          gateway-openapi generate api.json --output Generated --name Billing --access internal

        """

    private static let validate = """
        gateway-openapi validate: checks a document and says what could not be generated

        Usage:
          gateway-openapi validate SPEC

        Findings go to standard error, one a line: path:line:column: error: text [rule]

        Examples:
          gateway-openapi validate Petstore.openapi.yaml
          gateway-openapi validate api.json 2> findings.txt

        """
}
