import GatewayCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A token that somebody else keeps in a file and renews there: a workload's identity, such as a projected service
/// account token of Kubernetes.
///
/// The file is read anew each time a token is needed, and its path is resolved anew with it: what projects tokens
/// swaps a symbolic link (`..data`) rather than the file. A file that is missing, empty or cut off is a failure in
/// passing, since the next moment may mend it; so is one that still holds the token that was rejected.
///
/// The end is read from the token where it is a JWT. Such a token is asked for again when it nears its end, and used
/// on where the file holds no newer one yet.
public struct FileTokenProvider: TokenProvider {
    /// Whatever is larger is no token.
    private static let maximumBytes = 16 << 10

    private let path: String
    private let worker = WorkerThread()

    /// Names a file.
    ///
    /// - Parameter path: the path; links are followed.
    public init(path: String) { self.path = path }

    /// The token in the file.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable`.
    public func currentToken() async throws -> String? {
        let path = path
        return try await worker.run { () throws(NetworkError) in try Self.read(path) }
    }

    /// Always throws: the file was read just before, and held nothing newer.
    public func refreshToken() async throws -> String {
        throw NetworkError(.tokenUnavailable, "The token file holds no newer token yet.")
    }

    private static func read(_ path: String) throws(NetworkError) -> String {
        // Without O_NONBLOCK, opening a named pipe would wait for somebody at its other end.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure("cannot be opened: \(TokenDirectory.text(errno))") }
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
        let text = String(decoding: bytes, as: UTF8.self)
        guard isWhole(text) else { throw failure("holds no whole token") }
        return text
    }

    /// Whether the text can be a token: one that begins as a JWT has three parts (RFC 7515 §3.1), or it was cut off.
    private static func isWhole(_ text: String) -> Bool {
        guard IssuedToken.isToken68(text.utf8) else { return false }
        guard text.hasPrefix("eyJ") else { return true }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 3 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func failure(_ what: String) -> NetworkError {
        NetworkError(.tokenUnavailable, "The token file \(what).")
    }
}
