package import GatewayCore
private import GatewayLibC

/// Reads files that contain a single secret, such as `/run/secrets/client-secret`. Reading blocks: use a separate
/// thread where other tasks would wait.
package enum SecretFile {
    /// Why a secret could not be read. It contains neither file content nor path.
    package struct Failure: Error {
        package let reason: String
        /// Whether there is no regular file of this name.
        package var isMissing = false
        /// Whether the content is not text.
        var isBinary = false
    }

    /// The maximum size of a secret, in bytes.
    package static let maximumBytes = 16 << 10

    /// Reads a file and removes trailing white space.
    ///
    /// - Parameters:
    ///   - path: the path; symbolic links are followed and resolved each time.
    ///   - limit: the maximum size in bytes.
    package static func read(
        _ path: String, upToBytes limit: Int = maximumBytes
    ) throws(Failure) -> Secret {
        // Without O_NONBLOCK, opening a named pipe blocks until another process opens its other end.
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
            throw Failure(reason: "it is not a regular file", isMissing: true)
        }
        return try read(descriptor: file, upToBytes: limit)
    }

    /// Reads an open file, such as standard input, to its end.
    package static func read(
        descriptor: Int32, upToBytes limit: Int = maximumBytes
    ) throws(Failure) -> Secret {
        var bytes: [UInt8]
        do throws(SystemFailure) { bytes = try FileBytes.readAll(of: descriptor, upToBytes: limit) } catch {
            throw Failure(reason: "the file cannot be read: \(reason(error.code))")
        }
        guard bytes.count <= limit else { throw Failure(reason: "the file is too large") }
        while let last = bytes.last, last == 0x0A || last == 0x0D || last == 0x20 { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Failure(reason: "the file is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(reason: "the file is not text in UTF-8", isBinary: true)
        }
        return Secret(text)
    }

    /// Whether a file exists and this process may read it.
    package static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    // MARK: Tokens

    /// Reads a file with the errors of a credential.
    ///
    /// - Parameter missing: the code for a missing file, and for what is no regular file.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if the file is not text,
    ///   `missing`, or `tokenUnavailable` for transient errors.
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

    /// Reads a complete token that can be sent in an `Authorization` field.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` as ``credential(_:missing:)``, and with the code
    ///   `credentialMisconfigured` if a complete text cannot be sent as a token.
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

    /// Whether a text is complete. A text that starts like a JWT must have three parts (RFC 7515 §3.1). A text with NUL
    /// is incomplete, because a file system may leave NULs after a power failure.
    static func isWhole(_ text: String) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        guard text.hasPrefix("eyJ") else { return true }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
    }

    /// A path for messages: at most its last 256 characters, without control characters.
    package static func shown(_ path: String) -> String {
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
