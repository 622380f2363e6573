import Foundation
import PackagePlugin

/// Generates a client from each `<Name>.openapi.yaml`, `.yml` or `.json` of a target, and from `openapi.yaml`.
///
/// The files that come out are known by the document's name alone, so that the build system sees all inputs
/// and outputs before the tool runs. A configuration (`<Name>.gateway.yaml`) and `openapi.lock` beside the document
/// are taken; the lock is only read.
///
/// What nothing changed for is not generated again, with one exception that a plugin has no say in: SwiftPM links the
/// tool again in the second build, and a tool is an input of its plugin's commands. That run writes no file, since
/// no byte differs, so that nothing is compiled again; from then on builds do not run the tool.
@main
struct GatewayOpenAPIPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "gateway-openapi").url
        var commands: [Command] = []
        let files = target.sourceFiles.map(\.url)
        for (name, file) in DocumentName.documents(of: target) {
            let directory = context.pluginWorkDirectoryURL.appending(path: name)
            commands.append(
                .buildCommand(
                    displayName: "Generating \(name) from \(file.lastPathComponent)",
                    executable: tool,
                    arguments: ["generate", file.path, "--output", directory.path, "--file-prefix", name],
                    inputFiles: [file] + DocumentName.companions(of: file, among: files),
                    outputFiles: DocumentName.outputs(namespace: name).map { directory.appending(path: $0) }))
        }
        if commands.isEmpty {
            Diagnostics.warning(
                "\(target.name) uses GatewayOpenAPIPlugin and has no <Name>.openapi.yaml, .yml or .json")
        }
        return commands
    }
}
