package import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A file that holds one secret and nothing else, such as `/run/secrets/client-secret`.
package enum SecretFile {
    /// Why there is no secret. It holds nothing of the file, nor its path.
    package struct Failure: Error {
        package let reason: String
    }

    /// Whatever is larger is no secret.
    private static let maximumBytes = 64 << 10

    /// The file's text, without the line end and blanks behind it.
    package static func read(_ path: String) throws(Failure) -> Secret {
        // Without O_NONBLOCK, opening a named pipe would wait for somebody at its other end.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Failure(reason: "the file cannot be read: \(reason(errno))") }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(reason: "it does not name a plain file")
        }
        return try read(descriptor: file)
    }

    /// The same from something that is open, such as standard input, up to its end.
    package static func read(descriptor: Int32) throws(Failure) -> Secret {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= maximumBytes {
            let count = unsafe part.withUnsafeMutableBytes { part in
                #if canImport(Glibc)
                    unsafe Glibc.read(descriptor, part.baseAddress, part.count)
                #else
                    unsafe Musl.read(descriptor, part.baseAddress, part.count)
                #endif
            }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(reason: "the file cannot be read: \(reason(errno))")
            }
            bytes += part[..<count]
        }
        guard bytes.count <= maximumBytes else { throw Failure(reason: "the file is too large") }
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Failure(reason: "the file is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(reason: "the file is not text in UTF-8")
        }
        return Secret(text)
    }

    /// Whether a file is there that this process may read.
    package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "there is none"
        case EACCES, EPERM: "permission denied"
        default: "error \(code)"
        }
    }
}
