import GatewayCore
private import GatewayLibC

/// A body that is read from a file while it is sent.
final class FileUpload: UploadSource {
    private let descriptor: Int32
    private let position: Locked<Int64>
    private let end: Int64
    private let total: Int64
    private let origin: Origin

    /// Opens the file.
    ///
    /// - Throws: ``NetworkError`` with code ``NetworkError/bodyFailed`` if it is not a readable regular file or does
    ///   not contain the range, and ``NetworkError/overloaded`` if no file descriptor is available. The message does
    ///   not contain the path, which may be private.
    init(path: String, range: Range<Int64>?, origin: Origin) throws(NetworkError) {
        func failed(_ message: String) -> NetworkError { NetworkError(.bodyFailed, message, origin: origin) }

        // Without O_NONBLOCK, opening a named pipe blocks until another process opens its other end.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if NetworkError.isDescriptorShortage(code) {
                throw .descriptorShortage(origin: origin, phase: .queue)
            }
            throw failed(
                "The file of the request body cannot be opened (errno \(code)): check that it exists and can be read."
            )
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = Self.closeDescriptor(descriptor)
            throw failed("The file of the request body is not a regular file: read it as a stream.")
        }
        let range = range ?? 0..<Int64(status.st_size)
        guard range.lowerBound >= 0, range.upperBound <= status.st_size else {
            _ = Self.closeDescriptor(descriptor)
            throw failed("The file of the request body is shorter than the range to send.")
        }
        position = Locked(range.lowerBound)
        end = range.upperBound
        total = range.upperBound - range.lowerBound
        self.origin = origin
    }

    deinit { _ = Self.closeDescriptor(descriptor) }

    var length: Int64? { total }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> UploadRead {
        position.withLock { position in
            let count = min(Int64(buffer.count), end - position)
            guard count > 0 else { return .end }
            let got = unsafe pread(descriptor, buffer.baseAddress, Int(count), Int(position))
            guard got > 0 else {
                return .failed(
                    NetworkError(
                        .bodyFailed,
                        "The file of the request body became shorter or unreadable while it was sent.",
                        origin: origin, phase: .send, attempts: 1, mayHaveBeenSent: true))
            }
            position += Int64(got)
            return .bytes(got)
        }
    }

    func close() {}

    private static func closeDescriptor(_ descriptor: Int32) -> Int32 { fileDescriptorClose(descriptor) }
}

/// The system call `close`. The class has a method with the same name.
private func fileDescriptorClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
