import Foundation

/// What a document's file name says. The tool has the same rules, which a plugin cannot import: a test compiles this
/// file, too, and holds both to one table.
enum DocumentName {
    /// The namespace, or nil for a file that is no OpenAPI document by its name. A word that the tool's own code needs
    /// gets an underscore there; here it only begins the names of files.
    static func namespace(ofFile name: String) -> String? {
        for suffix in [".yaml", ".yml", ".json"] where name.lowercased().hasSuffix(suffix) {
            let stem = name.dropLast(suffix.count)
            if stem.lowercased() == "openapi" { return "OpenAPI" }
            guard stem.lowercased().hasSuffix(".openapi") else { return nil }
            let words = stem.dropLast(".openapi".count).unicodeScalars.split { !isWordPart($0) }
            let joined = words.map { capitalised(String($0)) }.joined()
            guard let first = joined.unicodeScalars.first else { return nil }
            return ("0"..."9").contains(first) ? "_" + joined : joined
        }
        return nil
    }

    /// A letter, or one of the ten digits that identifiers are usually written with.
    private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar)
                || ("A"..."Z").contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .uppercaseLetter, .titlecaseLetter, .otherLetter, .modifierLetter: return true
        default: return false
        }
    }

    /// A letter whose capital is more than one stays.
    private static func capitalised(_ word: String) -> String {
        let upper = word.prefix(1).uppercased()
        return upper.unicodeScalars.count == 1 ? upper + word.dropFirst() : word
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
