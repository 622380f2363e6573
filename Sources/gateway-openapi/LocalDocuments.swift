import OpenAPIGeneration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files below a folder. What a symbolic link leads out of it is refused, as is what is no plain file.
struct LocalDocuments: DocumentSource {
    /// The folder, its own links resolved.
    private let root: String
    /// The largest file that is read, in bytes.
    private static let limit = 67_108_864

    /// The files beside a document and below.
    init(besides path: String) {
        root = URL(filePath: FileAccess.folder(of: path)).resolvingSymlinksInPath().path
    }

    func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        let url = URL(filePath: root).appending(path: path).resolvingSymlinksInPath()
        let beginning = root.hasSuffix("/") ? root : root + "/"
        guard url.path.hasPrefix(beginning) else {
            throw .error(
                .externalReference, "it leads out of the document's folder by a symbolic link", at: nil)
        }
        if let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) {
            guard attributes[.type] as? FileAttributeType == .typeRegular else {
                throw .error(.unreadableFile, "it is no plain file", at: nil)
            }
            guard (attributes[.size] as? Int ?? 0) <= Self.limit else {
                throw .error(.unreadableFile, "it is larger than \(Self.limit) bytes", at: nil)
            }
        }
        return try FileAccess.read(url.path)
    }
}
