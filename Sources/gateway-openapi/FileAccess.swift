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
            throw .error(.unreadableFile, "the file cannot be read: \(reason(error))", at: nil)
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

    /// Writes what differs from what is there, so that a build system sees no change where there is none.
    static func write(_ files: [GeneratedFile], to directory: String) throws(Diagnostic) {
        let root = URL(filePath: directory)
        do {
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            for file in files {
                let url = root.appending(path: file.name)
                try write(file.text, to: url)
            }
        } catch {
            throw .error(.unwritableFile, "\(directory) cannot be written: \(reason(error))", at: nil)
        }
    }

    /// Writes one file, if its bytes differ from what is there.
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
        case .fileReadNoSuchFile?, .fileNoSuchFile?: "there is no such file"
        case .fileReadNoPermission?, .fileWriteNoPermission?: "permission denied"
        case .fileWriteOutOfSpace?: "no space left"
        default: "the system refused"
        }
    }
}
