internal import GatewayCore
private import GatewayLibC

/// Reads a file from an offset. The file is closed when the reader is released.
final class FileHandleReader {
    private let descriptor: Int32

    /// Opens a regular file. Other files are rejected, because reading a named pipe, for example, can block forever.
    init(_ path: String, offset: Int64) throws {
        // Without O_NONBLOCK, opening a named pipe blocks until another process opens its other end.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if NetworkError.isDescriptorShortage(code) { throw NetworkError.descriptorShortage() }
            throw NetworkError(.invalidRequest, "A multipart part's file cannot be read (errno \(code)).")
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkError(.invalidRequest, "A multipart part's file is not a regular file.")
        }
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw NetworkError(.invalidRequest, "A multipart part's file cannot be read (errno \(errno)).")
        }
    }

    /// The size of a regular file in bytes, following symbolic links; `nil` for any other file.
    static func size(ofFileAt path: String) -> Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(0, Int64(status.st_size))
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// Reads up to `count` bytes; empty at the end of the file.
    func next(_ count: Int) throws -> [UInt8] {
        do throws(SystemFailure) { return try FileBytes.readPart(of: descriptor, upToBytes: count) } catch {
            throw NetworkError(
                .invalidRequest, "A multipart part's file cannot be read (errno \(error.code)).")
        }
    }
}
