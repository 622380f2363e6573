import GatewayClient
import GatewayLibC

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

    private static let writing = Locked(false)

    /// Whether an incomplete file exists beside it, which is removed when the task that writes it is cancelled.
    static var isBeingWritten: Bool { writing.withLock { $0 } }

    /// Writes a body to the file when it is complete.
    ///
    /// - Returns: the number of bytes.
    static func write(_ body: ResponseBody, to path: String) async throws(NetworkError) -> Int64 {
        writing.withLock { $0 = true }
        defer { writing.withLock { $0 = false } }
        return try await body.write(toFile: path, upToBytes: .max)
    }
}
