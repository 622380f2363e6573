public import GatewayCore

/// The source of a secret, which is read each time it is needed: a client secret, an assertion that is signed
/// elsewhere, or a token for a token exchange.
///
/// ```swift
/// let client = ClientAuthentication.basic(clientID: "app", secret: .environment("CLIENT_SECRET"))
/// ```
/// If the secret is not configured, the code is `credentialMissing`; if it is temporarily unavailable, the code is
/// `tokenUnavailable`.
public struct SecretSource: Sendable {
    private enum Place: Sendable {
        case fixed(Secret)
        case variable(String, ProcessEnvironment.LookUp)
        case fileNamed(String, ProcessEnvironment.LookUp, WorkerThread)
        case file(String, WorkerThread)
        case function(@Sendable () async throws -> Secret)
    }

    private let place: Place

    /// A fixed secret.
    public static func fixed(_ secret: Secret) -> SecretSource { SecretSource(place: .fixed(secret)) }

    /// The value of an environment variable. If the variable is not set or is empty, the credential is missing.
    public static func environment(
        _ name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) -> SecretSource {
        SecretSource(place: .variable(name, lookUp))
    }

    /// The content of the file whose path is in an environment variable. If the variable is not set or is empty, the
    /// credential is missing; for the file, see ``file(_:)``.
    public static func environment(
        fileNamedBy name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) -> SecretSource {
        SecretSource(place: .fileNamed(name, lookUp, WorkerThread()))
    }

    /// The content of a file of at most 16 KiB, without trailing white space. Symbolic links are followed. An empty
    /// file is a transient error. A file that is missing or is not a regular one, or has several lines, control characters or a byte order
    /// mark, is a configuration error (`credentialMisconfigured`).
    public static func file(_ path: String) -> SecretSource {
        SecretSource(place: .file(path, WorkerThread()))
    }

    /// The result of a function, which is called each time.
    public static func function(_ read: @escaping @Sendable () async throws -> Secret) -> SecretSource {
        SecretSource(place: .function(read))
    }

    /// Reads the secret.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMissing` if it is not configured,
    ///   `tokenUnavailable` if it is temporarily unavailable, `credentialMisconfigured` if the file is missing or
    ///   contains something else than a secret, or an error of the function.
    public func read() async throws(NetworkError) -> Secret {
        try await read(missingFile: NetworkError.credentialMisconfigured)
    }

    /// Reads the secret.
    ///
    /// - Parameter missing: the code for a missing file.
    func read(missingFile missing: NetworkError.Code) async throws(NetworkError) -> Secret {
        switch place {
        case .fixed(let secret): return secret
        case .variable(let name, let lookUp): return Secret(try Self.look(name, lookUp))
        case .fileNamed(let name, let lookUp, let worker):
            return try await Self.read(try Self.look(name, lookUp), missing, worker)
        case .file(let path, let worker): return try await Self.read(path, missing, worker)
        case .function(let read):
            do { return try await read() } catch { throw NetworkError(acquiring: error) }
        }
    }

    private static func look(
        _ name: String, _ lookUp: ProcessEnvironment.LookUp
    ) throws(NetworkError) -> String {
        guard let value = lookUp(name), !value.isEmpty else {
            throw NetworkError(
                .credentialMissing, "The environment variable \(SecretFile.shown(name)) is not set.")
        }
        return value
    }

    private static func read(
        _ path: String, _ missing: NetworkError.Code, _ worker: WorkerThread
    ) async throws(NetworkError) -> Secret {
        let secret = try await worker.run { () throws(NetworkError) in
            try SecretFile.credential(path, missing: missing)
        }
        guard !secret.exposed.utf8.starts(with: TokenSyntax.byteOrderMark) else {
            throw NetworkError(
                .credentialMisconfigured,
                "The credential's file \(SecretFile.shown(path)) begins with a byte order mark: leave it out."
            )
        }
        guard secret.exposed.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw NetworkError(
                .credentialMisconfigured,
                "The credential's file \(SecretFile.shown(path)) has more than one line or control characters."
            )
        }
        return secret
    }
}

extension SecretSource: Redacted {
    /// The kind of source, without secret and path.
    public var description: String {
        switch place {
        case .fixed: "fixed secret"
        case .variable: "secret of an environment variable"
        case .fileNamed, .file: "secret of a file"
        case .function: "secret of a function"
        }
    }
}
