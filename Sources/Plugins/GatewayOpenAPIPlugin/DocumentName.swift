import Foundation
import PackagePlugin

/// What a document's file name says. The tool has the same rules; a plugin cannot import it.
enum DocumentName {
    /// The documents of a target, by path. The first of two with one name is taken.
    static func documents(of target: any SourceModuleTarget) -> [(name: String, file: URL)] {
        var seen: [String: URL] = [:]
        var result: [(name: String, file: URL)] = []
        for file in target.sourceFiles.map(\.url).sorted(by: { $0.path < $1.path }) {
            guard let name = namespace(ofFile: file.lastPathComponent) else { continue }
            if let other = seen[name] {
                Diagnostics.error("\(file.path) and \(other.path) both generate \(name)Client")
                continue
            }
            seen[name] = file
            result.append((name, file))
        }
        return result
    }

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
        return ["\(namespace)Client.swift", "\(namespace)Failures.swift", "\(namespace)Webhooks.swift"]
            + numbered("Operations", 16) + numbered("Schemas", 32)
    }
}
