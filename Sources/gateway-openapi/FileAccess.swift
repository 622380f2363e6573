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
                let data = Data(file.text.utf8)
                if let known = try? Data(contentsOf: url), known == data { continue }
                try data.write(to: url, options: .atomic)
            }
        } catch {
            throw .error(.unwritableFile, "\(directory) cannot be written: \(reason(error))", at: nil)
        }
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
