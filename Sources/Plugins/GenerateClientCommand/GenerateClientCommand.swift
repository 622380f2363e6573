import Foundation
import PackagePlugin

/// `swift package generate-client`: writes clients into the sources, where they can be committed, and updates the lock
/// file.
@main
struct GenerateClientCommand: CommandPlugin {
    private static let help = """
        OVERVIEW: Writes the clients of a package's OpenAPI documents into its sources.

        USAGE: swift package generate-client [--target TARGET]... [--check] [--layout LAYOUT] [--output DIR]
               [--lock-only]

        For each <Name>.openapi.yaml, .yml or .json of a target, writes <target>/Generated/<Name>, with one file per
        tag and per schema, and the Swift names to openapi.lock next to the document. <Name>.gateway.yaml is the
        configuration. For targets that use GatewayOpenAPIPlugin, which generates at build time, use --lock-only.

        OPTIONS:
          --target TARGET   The target; can be repeated. Default: the only target that has documents.
          --check           Writes nothing. Lists the files that are out of date; fails if there are any.
          --layout LAYOUT   names: Operations/<Tag>.swift and Schemas/<Name>.swift; buckets: the same files as in
                            a build. Default: names.
          --output DIR      The output directory, with one folder per client. Default: <target>/Generated.
          --lock-only       Writes only openapi.lock.
          --help            Shows this help.

        SwiftPM requires permission to write, also with --check:
        swift package --allow-writing-to-package-directory generate-client

        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        if extractor.extractFlag(named: "help") > 0 {
            print(Self.help, terminator: "")
            return
        }
        let names = extractor.extractOption(named: "target")
        let output = extractor.extractOption(named: "output").last
        let layout = extractor.extractOption(named: "layout").last ?? "names"
        var flags: [String] = []
        if extractor.extractFlag(named: "check") > 0 { flags.append("--check") }
        let isLockOnly = extractor.extractFlag(named: "lock-only") > 0
        if let unknown = extractor.remainingArguments.first {
            throw CommandError("unknown argument \"\(unknown)\"; see swift package generate-client --help")
        }
        let tool = try context.tool(named: "gateway-openapi").url
        var failed: [String] = []
        for target in try targets(names, in: context.package) {
            let documents = DocumentName.documents(of: target)
            for (offset, document) in documents.enumerated() {
                Diagnostics.progress(
                    "generate-client: \(document.name) of \(target.name) (\(offset + 1) of \(documents.count))"
                )
                var call = ["generate", document.file.path, "--update-lock", "--layout", layout] + flags
                if !isLockOnly {
                    let root =
                        output.map { context.package.directoryURL.appending(path: $0) }
                        ?? target.directoryURL.appending(path: "Generated")
                    call += ["--output", root.appending(path: document.name).path]
                    // File names must be unique in a module with several documents.
                    if documents.count > 1 { call += ["--file-prefix", document.name] }
                }
                if try run(tool, call) != 0 { failed.append(document.file.lastPathComponent) }
            }
        }
        if !failed.isEmpty {
            throw CommandError(
                (flags.isEmpty ? "generation failed for: " : "out of date or invalid: ")
                    + failed.joined(separator: ", "))
        }
    }

    /// The given targets, or the only one that has documents.
    private func targets(_ names: [String], in package: Package) throws -> [any SourceModuleTarget] {
        let all = package.targets.compactMap { $0 as? any SourceModuleTarget }
        guard names.isEmpty else {
            return try names.map { name in
                guard let target = all.first(where: { $0.name == name }) else {
                    throw CommandError("unknown target \"\(name)\"")
                }
                guard !DocumentName.documents(of: target).isEmpty else {
                    throw CommandError("\(name) has no <Name>.openapi.yaml, .yml or .json")
                }
                return target
            }
        }
        let candidates = all.filter { !DocumentName.documents(of: $0).isEmpty }
        if candidates.isEmpty { throw CommandError("no target has a <Name>.openapi.yaml, .yml or .json") }
        guard candidates.count == 1 else {
            throw CommandError(
                "several targets have documents; select one with --target: "
                    + candidates.map(\.name).sorted().joined(separator: ", "))
        }
        return candidates
    }

    private func run(_ tool: URL, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// An error of the command, for the user.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
