/// Where the files come from that a document refers to.
///
/// The path is relative to the document's folder, with `/` between names, and never leaves that folder: it has
/// no `.`, no `..` and no leading `/`. What a symbolic link makes of it is for the source to check.
package protocol DocumentSource: Sendable {
    /// The bytes of a file.
    ///
    /// - Throws: Why it cannot be read; the place is filled in by the caller.
    func read(_ path: String) throws(Diagnostic) -> [UInt8]
}

/// No files but the document.
package struct NoDocuments: DocumentSource {
    package init() {}

    package func read(_ path: String) throws(Diagnostic) -> [UInt8] {
        throw .error(.unreadableFile, "there are no files beside this document", at: nil)
    }
}
