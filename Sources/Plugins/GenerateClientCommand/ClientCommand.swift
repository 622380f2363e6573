import Foundation
import PackagePlugin

/// The common implementation of `generate-client` and `check-client`.
struct ClientCommand {
    let context: PluginContext
    let verb: String
    /// Whether files are compared instead of written.
    let isCheck: Bool
    let help: String

    /// The options, for the help texts.
    static let options = """
        OPTIONS:
          --target TARGET   The target; can be repeated. Default: the only target that has documents and does not use
                            GatewayOpenAPIPlugin.
          --layout LAYOUT   names: Operations/<Tag>.swift and Schemas/<Name>.swift; buckets: the same files as in
                            a build. Default: names.
          --output DIR      The output directory, with one folder per client. Default: <target>/Generated.
          --lock-only       Only openapi.lock.
          --help            Shows this help.

        """

    func run(_ arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        if extractor.extractFlag(named: "help") > 0 {
            print(help, terminator: "")
            return
        }
        let names = extractor.extractOption(named: "target")
        let output = extractor.extractOption(named: "output").last
        let layout = extractor.extractOption(named: "layout").last ?? "names"
        let isLockOnly = extractor.extractFlag(named: "lock-only") > 0
        if let unknown = extractor.remainingArguments.first {
            throw CommandError("unknown argument \"\(unknown)\"; see swift package \(verb) --help")
        }
        let tool = try context.tool(named: "gateway-openapi").url
        var failed: [String] = []
        for target in try targets(names, isLockOnly: isLockOnly) {
            let documents = DocumentName.documents(of: target)
            for (offset, document) in documents.enumerated() {
                Diagnostics.progress(
                    "\(verb): \(document.name) of \(target.name) (\(offset + 1) of \(documents.count))")
                var call = ["generate", document.file.path, "--update-lock", "--layout", layout]
                call += ["--module", target.moduleName]
                if isCheck { call.append("--check") }
                if !isLockOnly {
                    let root =
                        output.map { context.package.directoryURL.appending(path: $0) }
                        ?? target.directoryURL.appending(path: "Generated")
                    call += ["--output", root.appending(path: document.name).path]
                    // File names must be unique in a module with several documents.
                    if documents.count > 1 { call += ["--file-prefix", document.name] }
                }
                if try execute(tool, call) != 0 { failed.append(document.file.lastPathComponent) }
            }
        }
        if !failed.isEmpty {
            throw CommandError(
                (isCheck ? "out of date or invalid: " : "generation failed for: ")
                    + failed.joined(separator: ", "))
        }
    }

    // MARK: - Targets

    /// The given targets, otherwise the only target that has documents.
    private func targets(_ names: [String], isLockOnly: Bool) throws -> [any SourceModuleTarget] {
        let all = context.package.targets.compactMap { $0 as? any SourceModuleTarget }
        let generated = isLockOnly ? [] : targetsOfBuildPlugin()
        guard names.isEmpty else {
            return try names.map { name in
                guard let target = all.first(where: { $0.name == name }) else {
                    throw CommandError("unknown target \"\(name)\"")
                }
                guard !DocumentName.documents(of: target).isEmpty else {
                    throw CommandError("\(name) has no <Name>.openapi.yaml, .yml or .json")
                }
                if generated.contains(name) { throw Self.generatedAtBuild(name) }
                return target
            }
        }
        let documented = all.filter { !DocumentName.documents(of: $0).isEmpty }
        guard let first = documented.first else {
            throw CommandError(
                "no target has a <Name>.openapi.yaml, .yml or .json; a target needs at least one Swift file, too"
            )
        }
        let candidates = documented.filter { !generated.contains($0.name) }
        if candidates.isEmpty { throw Self.generatedAtBuild(first.name) }
        guard candidates.count == 1 else {
            throw CommandError(
                "several targets have documents; select one with --target: "
                    + candidates.map(\.name).sorted().joined(separator: ", "))
        }
        return candidates
    }

    private static func generatedAtBuild(_ target: String) -> CommandError {
        CommandError(
            "\(target) uses GatewayOpenAPIPlugin, which generates its clients in each build; remove the plugin from the "
                + "target in Package.swift, or use --lock-only")
    }

    /// The targets that use the build plugin; empty on failure. The plugin context does not contain this information,
    /// so another process reads the manifest. It has a separate scratch folder, because the default one is locked.
    private func targetsOfBuildPlugin() -> Set<String> {
        guard let swift = try? context.tool(named: "swift").url else { return [] }
        let arguments = [
            "package", "--disable-sandbox", "--package-path", context.package.directoryURL.path,
            "--scratch-path", context.pluginWorkDirectoryURL.appending(path: "manifest").path, "dump-package",
        ]
        let process = Process()
        let output = Pipe()
        process.executableURL = swift
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return [] }
        let manifest = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return PluginUsage.targets(of: "GatewayOpenAPIPlugin", in: manifest)
    }

    private func execute(_ executable: URL, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = executable
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
