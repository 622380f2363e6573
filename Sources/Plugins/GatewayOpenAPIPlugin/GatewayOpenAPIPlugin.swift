import Foundation
import PackagePlugin

/// Generates a client from each `<Name>.openapi.yaml`, `.yml` or `.json` of a target, and from `openapi.yaml`.
///
/// The files that come out are known by the document's name alone, so that the build system sees all inputs
/// and outputs before the tool runs.
@main
struct GatewayOpenAPIPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "gateway-openapi").url
        var seen: [String: URL] = [:]
        var commands: [Command] = []
        for file in target.sourceFiles.map(\.url).sorted(by: { $0.path < $1.path }) {
            guard let name = DocumentName.namespace(ofFile: file.lastPathComponent) else { continue }
            if let other = seen[name] {
                Diagnostics.error("\(file.path) and \(other.path) both generate \(name)Client")
                continue
            }
            seen[name] = file
            let directory = context.pluginWorkDirectoryURL.appending(path: name)
            commands.append(
                .buildCommand(
                    displayName: "Generating \(name) from \(file.lastPathComponent)",
                    executable: tool,
                    arguments: ["generate", file.path, "--output", directory.path, "--name", name],
                    inputFiles: [file],
                    outputFiles: DocumentName.outputs(namespace: name).map { directory.appending(path: $0) }))
        }
        if commands.isEmpty {
            Diagnostics.warning(
                "\(target.name) uses GatewayOpenAPIPlugin and has no <Name>.openapi.yaml, .yml or .json")
        }
        return commands
    }
}

/// What a document's file name says. The tool has the same rules; a plugin cannot import it.
enum DocumentName {
    /// The namespace, or nil for a file that is no OpenAPI document by its name.
    static func namespace(ofFile name: String) -> String? {
        for suffix in [".yaml", ".yml", ".json"] where name.lowercased().hasSuffix(suffix) {
            let stem = name.dropLast(suffix.count)
            if stem.lowercased() == "openapi" { return "OpenAPI" }
            guard stem.lowercased().hasSuffix(".openapi") else { return nil }
            let words = stem.dropLast(".openapi".count).split { !$0.isLetter && !$0.isNumber }
            let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            guard let first = joined.first else { return nil }
            return first.isNumber ? "_" + joined : joined
        }
        return nil
    }

    /// The files that the tool writes, whatever the document holds.
    static func outputs(namespace: String) -> [String] {
        func numbered(_ kind: String, _ count: Int) -> [String] {
            (0..<count).map { "\(namespace)\(kind).\($0 < 10 ? "0" : "")\($0).swift" }
        }
        return ["\(namespace)Client.swift", "\(namespace)Failures.swift"]
            + numbered("Operations", 16) + numbered("Schemas", 32)
    }
}
