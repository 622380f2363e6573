/// The source of the files that a document references.
///
/// The path is relative to the document's folder, with `/` between names, and never leaves that folder: it has
/// no `.`, no `..` and no leading `/`. The source must check symbolic links.
package protocol DocumentSource: Sendable {
    /// The bytes of a file.
    ///
    /// - Throws: The reason. The caller adds the position.
    func read(_ path: String) throws(Diagnostic) -> [UInt8]
}

/// No files but the document.
package struct NoDocuments: DocumentSource {
    package init() {}

    package func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        throw .error(.unreadableFile, "references to other files are not supported here", at: nil)
    }
}
