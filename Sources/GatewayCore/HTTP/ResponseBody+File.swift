private import GatewayLibC

extension ResponseBody {
    /// Writes the content to a file while it is received, and returns the number of bytes.
    ///
    /// The content is written to a temporary file in the same directory, which replaces the file when it is complete.
    /// If the download fails, an existing file is unchanged.
    ///
    /// - Parameters:
    ///   - path: the path. An existing regular file is replaced; for any other kind of file the call fails.
    ///   - limit: the maximum number of bytes.
    /// - Throws: ``NetworkError`` with code ``NetworkError/responseTooLarge`` if the limit is exceeded,
    ///   ``NetworkError/other`` if the file cannot be written, ``NetworkError/overloaded`` if no file descriptor is
    ///   available, or the error that ended the stream.
    @discardableResult
    public func write(toFile path: String, upToBytes limit: Int64) async throws(NetworkError) -> Int64 {
        let file = try PartialFile(for: path)
        var count: Int64 = 0
        for try await chunk in self {
            count += Int64(chunk.count)
            guard count <= limit else {
                throw NetworkError(
                    .responseTooLarge, "The response is larger than the limit of \(limit) bytes.",
                    mayHaveBeenSent: true)
            }
            try file.append(chunk)
        }
        try file.complete()
        return count
    }
}

/// A file that replaces its target when it is complete, and is deleted when it is released before.
private final class PartialFile {
    private let path: String
    private let partialPath: String
    private var descriptor: Int32

    init(for path: String) throws(NetworkError) {
        self.path = path
        partialPath = "\(path).\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
        // Renaming would replace a device or a named pipe.
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            descriptor = -1
            throw NetworkError(
                .other, "The file cannot be written: the path does not name a regular file.")
        }
        descriptor = unsafe open(partialPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failed() }
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        _ = unsafe unlink(partialPath)
    }

    func append(_ chunk: HTTPBody.Chunk) throws(NetworkError) {
        do throws(SystemFailure) { try FileBytes.writeAll(chunk, to: descriptor) } catch {
            throw Self.failed(error.code)
        }
    }

    func complete() throws(NetworkError) {
        let descriptor = descriptor
        self.descriptor = -1
        guard close(descriptor) == 0, unsafe rename(partialPath, path) == 0 else {
            let error = Self.failed()
            _ = unsafe unlink(partialPath)
            throw error
        }
    }

    private static func failed(_ code: Int32 = errno) -> NetworkError {
        if NetworkError.isDescriptorShortage(code) { return .descriptorShortage() }
        return NetworkError(.other, "The file cannot be written (errno \(code)).")
    }
}
