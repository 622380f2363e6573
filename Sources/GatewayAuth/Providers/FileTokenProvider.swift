import GatewayCore

/// A token in a file that another process renews: a workload identity, such as a projected service account token of
/// Kubernetes.
///
/// The file is read each time a token is needed, and symbolic links in its path are resolved again. Why: token
/// projection replaces a symbolic link (`..data`) instead of the file. A missing, empty or truncated file, or a file
/// that still contains the rejected token, is a transient error. Any other content, such as a token with the prefix
/// `Bearer` or a byte order mark, is a permanent error.
///
/// If the token is a JWT, its expiration time is used. The file is read again before the token expires; the token
/// remains in use while the file contains no newer one.
public struct FileTokenProvider: TokenProvider {
    private let path: String
    private let missing: NetworkError.Code
    private let worker = WorkerThread()

    /// Creates a provider for a file.
    ///
    /// - Parameters:
    ///   - path: the path; symbolic links are followed.
    ///   - isOptional: whether a missing file means that the credential is not configured (code `credentialMissing`),
    ///     so that a ``ChainedTokenAcquirer`` continues with the next acquirer. Default: `false`, a missing file is a
    ///     transient error.
    public init(path: String, isOptional: Bool = false) {
        self.path = path
        missing = isOptional ? NetworkError.credentialMissing : NetworkError.tokenUnavailable
    }

    /// Returns the token in the file.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable`, `credentialMisconfigured` if the file
    ///   contains something else than a token, or `credentialMissing` if the file is optional and missing.
    public func currentToken() async throws -> String? {
        let (path, missing) = (path, missing)
        return try await worker.run { () throws(NetworkError) in
            try SecretFile.token(path, missing: missing)
        }
    }

    /// `false`: it only reads.
    public var isSingleUse: Bool { false }

    /// Always throws, because the file was read just before and has no newer token.
    public func refreshToken() async throws -> String {
        throw NetworkError(
            .tokenUnavailable,
            "The token file \(SecretFile.shown(path)) still holds the token that was rejected or has expired."
        )
    }
}
