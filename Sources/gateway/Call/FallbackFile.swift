import GatewayClient
import GatewayLibC

/// The file whose content takes the place of a response.
enum FallbackFile {
    private static let mostBytes = 64 << 20

    /// Reads the whole file, before anything is sent.
    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        guard let content = content(path) else {
            throw CommandFailure(
                ExitStatus.usage,
                "the file for --fallback-file cannot be read, or has more than \(mostBytes >> 20) MiB")
        }
        return content
    }

    private static func content(_ path: String) -> [UInt8]? {
        // Opening a named pipe must not wait.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let content = try? FileBytes.readAll(of: file, upToBytes: mostBytes)
        return content.flatMap { $0.count <= mostBytes ? $0 : nil }
    }
}
