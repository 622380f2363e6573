import OpenAPIGeneration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The regular files of a folder and its subfolders. Symbolic links to files outside the folder are rejected.
struct LocalDocuments: DocumentSource {
    /// The folder, with symbolic links resolved.
    private let root: String
    /// Maximum size of a file, in bytes.
    private static let limit = 67_108_864

    /// Creates a source of the files in a document's folder and its subfolders.
    init(besides path: String) {
        root = URL(filePath: FileAccess.folder(of: path)).resolvingSymlinksInPath().path
    }

    func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        let url = URL(filePath: root).appending(path: path).resolvingSymlinksInPath()
        let beginning = root.hasSuffix("/") ? root : root + "/"
        guard url.path.hasPrefix(beginning) else {
            throw .error(
                .externalReference, "a symbolic link points outside the document's folder", at: nil)
        }
        if let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) {
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw .error(.unreadableFile, "not a regular file", at: nil)
            }
            guard (attributes[.size] as? Int ?? 0) <= Self.limit else {
                throw .error(.unreadableFile, "larger than \(Self.limit) bytes", at: nil)
            }
        }
        return try FileAccess.read(url.path)
    }
}
