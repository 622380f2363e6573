import Foundation

/// Derives the namespace of a client from the file name of its document. Why not shared with the tool: a plugin cannot
/// import a library. A test compiles this file and checks that both implementations follow the same rules.
enum DocumentName {
    /// The namespace; nil if the file name is not the name of an OpenAPI document. The tool appends an underscore to
    /// reserved names. Here the namespace is only the prefix of file names.
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

    /// Whether the scalar is a letter or an ASCII digit.
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

    /// A first letter whose uppercase form has several scalars is kept.
    private static func capitalised(_ word: String) -> String {
        let upper = word.prefix(1).uppercased()
        return upper.unicodeScalars.count == 1 ? upper + word.dropFirst() : word
    }

    /// The files that a document may depend on: every YAML, JSON, Markdown and lock file in its folder and below, also
    /// files that the target excludes. A plugin cannot read the document to find out which of them are used.
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

    /// The files that the tool writes, independent of the content of the document.
    static func outputs(namespace: String) -> [String] {
        func numbered(_ kind: String, _ count: Int) -> [String] {
            (0..<count).map { "\(namespace)\(kind).\($0 < 10 ? "0" : "")\($0).swift" }
        }
        return ["\(namespace)Client.swift", "\(namespace)Failures.swift", "\(namespace)Webhooks.swift"]
            + numbered("Operations", 16) + numbered("Schemas", 32)
    }
}
