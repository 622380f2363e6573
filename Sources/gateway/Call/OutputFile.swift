#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that a body is written to.
enum OutputFile {
    /// Sees to it that a file can be made there, before anything is sent.
    static func check(_ path: String?) throws(CommandFailure) {
        guard let path else { return }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        let isFolder = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard !path.isEmpty, !isFolder, unsafe access(folder, W_OK) == 0 else {
            throw CommandFailure(ExitStatus.usage, "the file for --output cannot be written")
        }
    }
}
