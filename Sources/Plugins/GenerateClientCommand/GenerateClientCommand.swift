import PackagePlugin

/// `swift package generate-client`: writes clients into the sources, where they can be committed, and updates the lock
/// file.
@main
struct GenerateClientCommand: CommandPlugin {
    private static let help = """
        OVERVIEW: Writes the clients of a package's OpenAPI documents into its sources.

        USAGE: swift package generate-client [--target TARGET]... [--layout LAYOUT] [--output DIR] [--lock-only]

        For each <Name>.openapi.yaml, .yml or .json of a target, writes <target>/Generated/<Name>, with one file per
        tag and per schema, and the Swift names to openapi.lock next to the document. <Name>.gateway.yaml is the
        configuration. A target that uses GatewayOpenAPIPlugin, which generates at build time, needs --lock-only.

        \(ClientCommand.options)
        EXAMPLE: swift package --allow-writing-to-package-directory generate-client --target MyService

        swift package check-client lists what is out of date, and needs no permission to write.

        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        try ClientCommand(context: context, verb: "generate-client", isCheck: false, help: Self.help)
            .run(arguments)
    }
}
