import PackagePlugin

/// `swift package check-client`: lists the files of `generate-client` that are out of date. Why a separate plugin:
/// SwiftPM requires permission to write before it runs a plugin that can write, even for `--help`.
@main
struct CheckClientCommand: CommandPlugin {
    private static let help = """
        OVERVIEW: Lists the files of generate-client that are out of date. Writes nothing.

        USAGE: swift package check-client [--target TARGET]... [--layout LAYOUT] [--output DIR] [--lock-only]

        Use the options of generate-client. Fails if a file is missing, out of date or no longer generated.

        \(ClientCommand.options)
        EXAMPLE: swift package check-client --target MyService

        To write the files: swift package --allow-writing-to-package-directory generate-client

        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        try ClientCommand(context: context, verb: "check-client", isCheck: true, help: Self.help).run(
            arguments)
    }
}
