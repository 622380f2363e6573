package import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A file that holds one secret and nothing else, such as `/run/secrets/client-secret`. Reading blocks: where others
/// wait, do it on a thread of its own.
package enum SecretFile {
    /// Why there is no secret. It holds nothing of the file, nor its path.
    package struct Failure: Error {
        package let reason: String
        /// Whether there is no such file.
        package var isMissing = false
        /// Whether it is not text, which no complete secret is.
        var isBinary = false
    }

    /// Whatever is larger is no secret.
    package static let maximumBytes = 16 << 10

    /// The file's text, without the line end and blanks behind it.
    ///
    /// - Parameters:
    ///   - path: the path; links are followed, and resolved anew each time.
    ///   - limit: how many bytes it may have.
    package static func read(
        _ path: String, upToBytes limit: Int = maximumBytes
    ) throws(Failure) -> Secret {
        // Without O_NONBLOCK, opening a named pipe would wait for somebody at its other end.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            throw Failure(
                reason: "the file cannot be read: \(reason(code))",
                isMissing: code == ENOENT || code == ENOTDIR)
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(reason: "it is not a regular file")
        }
        return try read(descriptor: file, upToBytes: limit)
    }

    /// The same from something that is open, such as standard input, up to its end.
    package static func read(
        descriptor: Int32, upToBytes limit: Int = maximumBytes
    ) throws(Failure) -> Secret {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
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
        guard bytes.count <= limit else { throw Failure(reason: "the file is too large") }
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Failure(reason: "the file is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(reason: "the file is not text in UTF-8", isBinary: true)
        }
        return Secret(text)
    }

    /// Whether a file is there that this process may read.
    package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    // MARK: Tokens

    /// The same, as a failure of a credential.
    ///
    /// - Parameter missing: the code for a file that does not exist.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` for a file that is not text, `missing`,
    ///   or `tokenUnavailable` for what may be different the next moment.
    static func credential(
        _ path: String, missing: NetworkError.Code = NetworkError.tokenUnavailable
    ) throws(NetworkError) -> Secret {
        do throws(Failure) {
            return try read(path)
        } catch {
            let other: NetworkError.Code = error.isBinary ? .credentialMisconfigured : .tokenUnavailable
            throw NetworkError(
                error.isMissing ? missing : other,
                "The credential's file \(shown(path)) cannot be used: \(error.reason).")
        }
    }

    /// The token in a file: whole, and fit for an `Authorization` field.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, as ``credential(_:missing:)``; with the code `credentialMisconfigured` also for
    ///   a text that is whole and cannot be sent as a token.
    static func token(
        _ path: String, missing: NetworkError.Code = NetworkError.tokenUnavailable
    ) throws(NetworkError) -> String {
        let text = try credential(path, missing: missing).exposed
        guard isWhole(text) else {
            throw NetworkError(
                .tokenUnavailable, "The token file \(shown(path)) has no complete token.")
        }
        if let fault = TokenSyntax.fault(in: text) {
            throw NetworkError(
                .credentialMisconfigured, "The token in the file \(shown(path)) \(fault).")
        }
        return text
    }

    /// Whether the text is whole: one that begins as a JWT has three parts (RFC 7515 §3.1), or it was cut off, and so was
    /// one with NUL, which a disk that lost its power leaves.
    static func isWhole(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        guard text.hasPrefix("eyJ") else { return true }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
    }

    /// A path as messages show it: its last 256 characters at most, without control characters.
    static func shown(_ path: String) -> String {
        let scalars = path.unicodeScalars.suffix(256).map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control ? "?" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "no such file"
        case EACCES, EPERM: "permission denied"
        case EMFILE, ENFILE: "no file descriptor is left"
        default: "error \(code)"
        }
    }
}
