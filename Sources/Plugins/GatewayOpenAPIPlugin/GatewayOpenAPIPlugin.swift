import Foundation
import PackagePlugin

/// Generates a client from each `<Name>.openapi.yaml`, `.yml` or `.json` of a target, and from `openapi.yaml`.
///
/// The names of the output files depend only on the document's name, so that the build system knows all inputs and
/// outputs before the tool runs. A configuration (`<Name>.gateway.yaml`) and `openapi.lock` next to the document are
/// used; the lock is only read.
///
/// The tool runs again only if an input changed. One exception is out of the plugin's control: SwiftPM links the tool
/// again in the second build, and the tool is an input of its own commands. That run writes no file because no content
/// changed, so nothing is compiled again. Later builds do not run the tool.
@main
struct GatewayOpenAPIPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "gateway-openapi").url
        var commands: [Command] = []
        let files = target.sourceFiles.map(\.url)
        let documents = DocumentName.documents(of: target)
        let messages = TargetCheck(
            target: target.name, dependencies: Set(target.recursiveTargetDependencies.map(\.name)),
            package: libraryPackage(of: context.package), files: files, documents: documents
        ).messages()
        for message in messages {
            if message.isError {
                Diagnostics.error(message.text)
            } else {
                Diagnostics.warning(message.text)
            }
        }
        // After an error, no client is generated. Otherwise the compiler would report the same problem in generated
        // code.
        if messages.contains(where: \.isError) { return [] }
        for (name, file) in documents {
            let directory = context.pluginWorkDirectoryURL.appending(path: name)
            commands.append(
                .buildCommand(
                    displayName: "Generating \(name) from \(file.lastPathComponent)",
                    executable: tool,
                    arguments: [
                        "generate", file.path, "--output", directory.path, "--file-prefix", name,
                        "--module", target.moduleName,
                    ],
                    inputFiles: [file] + DocumentName.companions(of: file, among: files),
                    outputFiles: DocumentName.outputs(namespace: name).map { directory.appending(path: $0) }))
        }
        return commands
    }

    /// The dependency that is the package of the library. Nil: this package.
    private func libraryPackage(of package: Package) -> String? {
        package.dependencies.map(\.package).first { dependency in
            dependency.products.contains { $0.name == "GatewayClient" }
        }?.id
    }
}
