import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Reads small files that hold a token or a secret. It blocks: call it on a thread of its own.
enum SecretFile {
    /// Whatever is larger is no secret.
    static let maximumBytes = 16 << 10

    /// The text of a file, without the white space at its end.
    ///
    /// - Parameters:
    ///   - path: the path; links are followed, and resolved anew each time.
    ///   - missing: the code for a file that does not exist.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable`, or `missing`: the next moment may
    ///   mend what is wrong.
    static func read(
        _ path: String, missing: NetworkError.Code = NetworkError.tokenUnavailable
    ) throws(NetworkError) -> String {
        // Without O_NONBLOCK, opening a named pipe would wait for somebody at its other end.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            throw failure(
                "cannot be opened: \(TokenDirectory.text(errno))",
                isMissing ? missing : NetworkError.tokenUnavailable)
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw failure("is no plain file")
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= maximumBytes {
            let count = unsafe part.withUnsafeMutableBytes { part in
                #if canImport(Glibc)
                    unsafe Glibc.read(file, part.baseAddress, part.count)
                #else
                    unsafe Musl.read(file, part.baseAddress, part.count)
                #endif
            }
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("cannot be read: \(TokenDirectory.text(errno))")
            }
            bytes += part[..<count]
        }
        guard bytes.count <= maximumBytes else { throw failure("is too large") }
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 { bytes.removeLast() }
        guard !bytes.isEmpty else { throw failure("is empty") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The token in a file: whole, and fit for an `Authorization` field.
    static func readToken(
        _ path: String, missing: NetworkError.Code = NetworkError.tokenUnavailable
    ) throws(NetworkError) -> String {
        let text = try read(path, missing: missing)
        guard isWhole(text) else { throw failure("holds no whole token") }
        return text
    }

    /// Whether the text can be a token: one that begins as a JWT has three parts (RFC 7515 §3.1), or it was cut off.
    static func isWhole(_ text: String) -> Bool {
        guard IssuedToken.isToken68(text.utf8) else { return false }
        guard text.hasPrefix("eyJ") else { return true }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func failure(
        _ what: String, _ code: NetworkError.Code = NetworkError.tokenUnavailable
    ) -> NetworkError {
        NetworkError(code, "The token file \(what).")
    }
}
