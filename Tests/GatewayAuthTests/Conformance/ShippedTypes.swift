import Foundation

/// The types of the libraries that conform to a protocol, by their sources.
enum ShippedTypes {
    /// - Parameter name: the protocol.
    static func conforming(to name: String) throws -> Set<String> {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let mark = Data(name.utf8)
        let declaration = /(?:struct|class|actor|enum|extension|protocol)\s+([\w.]+)[^:{]*:([^{]*)\{/
        var types: Set<String> = []
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            // Executables, such as the benchmarks, are no part of the libraries.
            guard file.pathExtension == "swift", file.path.contains("/Sources/Gateway"),
                let bytes = try? Data(contentsOf: file), bytes.range(of: mark) != nil
            else { continue }
            let code = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .filter { !$0.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
            for match in code.matches(of: declaration)
            where match.2.split(whereSeparator: { !$0.isLetter }).contains(Substring(name)) {
                types.insert(String(match.1))
            }
        }
        return types
    }
}
