import OpenAPIGeneration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads documents and writes generated files.
enum FileAccess {
    /// The bytes of a file.
    static func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .error(.unreadableFile, reason(error), at: nil)
        }
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// The path of a file in the folder of another.
    static func path(_ name: String, beside path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return name }
        return path[...slash] + name
    }

    /// The folder of a file.
    static func folder(of path: String) -> String {
        URL(filePath: path).deletingLastPathComponent().path
    }

    /// Writes the files whose content changed, so that a build system sees unchanged files as unchanged.
    static func write(_ files: [GeneratedFile], to directory: String) throws(Diagnostic) {
        let root = URL(filePath: directory)
        do {
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            for file in files {
                let url = root.appending(path: file.name)
                if file.name.contains("/") {
                    try FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                }
                try write(file.text, to: url)
            }
        } catch {
            throw .error(.unwritableFile, "\(directory) cannot be written: \(reason(error))", at: nil)
        }
    }

    /// The files in a folder that are out of date, one line per file.
    static func differences(_ files: [GeneratedFile], in directory: String, from source: String) -> [String] {
        var result: [String] = []
        for file in files {
            let path = directory + "/" + file.name
            guard let known = try? Data(contentsOf: URL(filePath: path)) else {
                result.append("\(path): missing")
                continue
            }
            if known != Data(file.text.utf8) { result.append("\(path): out of date") }
        }
        return (result + stale(files, in: directory, from: source).map { "\($0): no longer generated" })
            .sorted()
    }

    /// Removes files of the same document that are no longer generated.
    static func removeStale(
        _ files: [GeneratedFile], in directory: String, from source: String
    ) throws(Diagnostic) {
        for path in stale(files, in: directory, from: source) {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw .error(.unwritableFile, "\(path) cannot be removed: \(reason(error))", at: nil)
            }
        }
    }

    /// Files whose first line names this document but that are no longer generated.
    private static func stale(
        _ files: [GeneratedFile], in directory: String, from source: String
    ) -> [String] {
        let known = Set(files.map(\.name))
        let mark = Array((Generator.firstLine(ofFilesFrom: source) + "\n").utf8)
        var result: [String] = []
        for folder in ["", "Operations/", "Schemas/"] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory + "/" + folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".swift") && !known.contains(folder + name) {
                let path = directory + "/" + folder + name
                if let bytes = try? Data(contentsOf: URL(filePath: path)), bytes.starts(with: mark) {
                    result.append(path)
                }
            }
        }
        return result
    }

    /// Writes one file if its content changed.
    static func write(_ text: String, to path: String) throws(Diagnostic) {
        do {
            try write(text, to: URL(filePath: path))
        } catch {
            throw .error(.unwritableFile, "\(path) cannot be written: \(reason(error))", at: nil)
        }
    }

    private static func write(_ text: String, to url: URL) throws {
        let data = Data(text.utf8)
        if let known = try? Data(contentsOf: url), known == data { return }
        try data.write(to: url, options: .atomic)
    }

    private static func reason(_ error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "no such file"
        case .fileReadNoPermission?, .fileWriteNoPermission?: "permission denied"
        case .fileWriteOutOfSpace?: "no space left on device"
        default: "I/O error"
        }
    }
}
