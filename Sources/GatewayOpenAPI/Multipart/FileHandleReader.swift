internal import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// Reads a file from an offset, and closes it when it is released.
final class FileHandleReader {
    private let descriptor: Int32

    /// Opens a regular file. Anything else, such as a named pipe, could make a read wait without end.
    init(_ path: String, offset: Int64) throws {
        // Without O_NONBLOCK, opening a named pipe would wait for somebody at its other end.
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

    /// The size of a regular file in bytes, also behind symbolic links; `nil` for anything else.
    static func size(ofFileAt path: String) -> Int64? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return max(0, Int64(status.st_size))
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    /// The next bytes, as many as there are; none at the end.
    func next(_ count: Int) throws -> [UInt8] {
        let descriptor = descriptor
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var got = -1
            repeat {
                got = unsafe read(descriptor, buffer.baseAddress, count)
            } while got < 0 && errno == EINTR
            failed = got < 0
            filled = max(0, got)
        }
        if failed {
            throw NetworkError(.invalidRequest, "A multipart part's file cannot be read (errno \(errno)).")
        }
        return bytes
    }
}
