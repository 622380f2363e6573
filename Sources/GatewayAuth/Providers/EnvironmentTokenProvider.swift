import GatewayCore

/// A token from the process's environment: in a variable, or in a file whose path is in a variable.
///
/// Both are read each time a token is needed. If the variable is not set or is empty, the credential is not configured:
/// the code is `credentialMissing`, and a ``ChainedTokenAcquirer`` continues with the next acquirer. A rejected token
/// in a variable must be replaced by an operator (`reauthenticationRequired`); a token in a file can be renewed there
/// by another process, as with ``FileTokenProvider``.
public struct EnvironmentTokenProvider: TokenProvider {
    private let source: SecretSource
    private let name: String
    private let isFile: Bool

    /// Creates a provider for the variable that contains the token.
    public init(
        variable name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) {
        source = .environment(name, lookUp: lookUp)
        self.name = SecretFile.shown(name)
        isFile = false
    }

    /// Creates a provider for the variable that contains the path of the token file.
    public init(
        fileNamedBy name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) {
        source = .environment(fileNamedBy: name, lookUp: lookUp)
        self.name = SecretFile.shown(name)
        isFile = true
    }

    /// Returns the token.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMissing`, `credentialMisconfigured` if the
    ///   variable or file contains something else than a token, or `tokenUnavailable` if the file contains no complete
    ///   token at the moment.
    public func currentToken() async throws -> String? {
        let token = try await source.read(missingFile: NetworkError.tokenUnavailable).exposed
        guard SecretFile.isWhole(token) else {
            throw isFile
                ? NetworkError(
                    .tokenUnavailable,
                    "The file that the environment variable \(name) names has no complete token.")
                : NetworkError(
                    .credentialMisconfigured, "The token in the environment variable \(name) was cut off.")
        }
        if let fault = TokenSyntax.fault(in: token) {
            throw NetworkError(
                .credentialMisconfigured,
                isFile
                    ? "The token in the file that the environment variable \(name) names \(fault)."
                    : "The token in the environment variable \(name) \(fault).")
        }
        return token
    }

    /// `false`: it only reads.
    public var isSingleUse: Bool { false }

    /// Always throws, because the environment was read just before and has no newer token.
    public func refreshToken() async throws -> String {
        throw isFile
            ? NetworkError(
                .tokenUnavailable,
                "The file that the environment variable \(name) names still holds the token that was rejected "
                    + "or has expired.")
            : NetworkError(
                .reauthenticationRequired,
                "The token in the environment variable \(name) was rejected. Replace it.")
    }
}
