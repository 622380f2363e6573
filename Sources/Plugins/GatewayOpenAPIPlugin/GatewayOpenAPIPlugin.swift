import Foundation
import PackagePlugin

/// Generates a client from each `<Name>.openapi.yaml`, `.yml` or `.json` of a target, and from `openapi.yaml`.
///
/// The files that come out are known by the document's name alone, so that the build system sees all inputs
/// and outputs before the tool runs. A configuration (`<Name>.gateway.yaml`) and `openapi.lock` beside the document
/// are taken; the lock is only read.
@main
struct GatewayOpenAPIPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "gateway-openapi").url
        var seen: [String: URL] = [:]
        var commands: [Command] = []
        let files = target.sourceFiles.map(\.url).sorted { $0.path < $1.path }
        for file in files {
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

    /// What a document may refer to or be configured by: every YAML and JSON file beside it and below, also
    /// where the target excludes it. A plugin cannot read the document to find out which it is.
    static func companions(of document: URL, among files: [URL]) -> [URL] {
        let folder = document.deletingLastPathComponent()
        var found = Set(files.filter { isCompanion($0) && $0.path.hasPrefix(folder.path + "/") })
        let below = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = below?.nextObject() as? URL {
            if isCompanion(file) { found.insert(file.absoluteURL) }
        }
        found.remove(document)
        return found.sorted { $0.path < $1.path }
    }

    private static func isCompanion(_ file: URL) -> Bool {
        ["yaml", "yml", "json", "md", "lock"].contains(file.pathExtension.lowercased())
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
