import OpenAPIGeneration

/// The output of `--help` and `help config`. The help of a command is created from its specification.
enum HelpText {
    static let tool = """
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

    static var configuration: String {
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
