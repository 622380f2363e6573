import GatewayCore

/// A token that somebody else keeps in a file and renews there: a workload's identity, such as a projected service
/// account token of Kubernetes.
///
/// The file is read anew each time a token is needed, and its path is resolved anew with it: what projects tokens
/// swaps a symbolic link (`..data`) rather than the file. A file that is missing, empty or cut off is a failure in
/// passing, since the next moment may mend it; so is one that still holds the token that was rejected. A file with
/// anything but a token, such as `Bearer` before it or a byte order mark, is a mistake and a failure that lasts.
///
/// The end is read from the token where it is a JWT. Such a token is asked for again when it nears its end, and used
/// on where the file holds no newer one yet.
public struct FileTokenProvider: TokenProvider {
    private let path: String
    private let missing: NetworkError.Code
    private let worker = WorkerThread()

    /// Names a file.
    ///
    /// - Parameters:
    ///   - path: the path; links are followed.
    ///   - isOptional: whether a file that does not exist means that there is no such credential here, by the code
    ///     `credentialMissing`, so that a ``ChainedTokenAcquirer`` goes on to its next. By default it is a failure in
    ///     passing.
    public init(path: String, isOptional: Bool = false) {
        self.path = path
        missing = isOptional ? NetworkError.credentialMissing : NetworkError.tokenUnavailable
    }

    /// The token in the file.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable`, `credentialMisconfigured` for a file that
    ///   holds something else than a token, or `credentialMissing` where the file is optional and not there.
    public func currentToken() async throws -> String? {
        let (path, missing) = (path, missing)
        return try await worker.run { () throws(NetworkError) in
            try SecretFile.token(path, missing: missing)
        }
    }

    /// `false`: it only reads.
    public var isSingleUse: Bool { false }

    /// Always throws: the file was read just before, and held nothing newer.
    public func refreshToken() async throws -> String {
        throw NetworkError(
            .tokenUnavailable,
            "The token file \(SecretFile.shown(path)) still holds the token that was rejected or has expired."
        )
    }
}
