import GatewayCore

/// A token of the process's environment: in a variable, or in a file that a variable names.
///
/// Both are read anew each time a token is needed. A variable that is not set or empty means that there is no such
/// credential here: the code is `credentialMissing`, and a ``ChainedTokenAcquirer`` goes on to its next. A token in a
/// variable that is rejected asks for somebody to replace it (`reauthenticationRequired`); one in a file may be renewed
/// there by somebody else, as with ``FileTokenProvider``.
public struct EnvironmentTokenProvider: TokenProvider {
    private let source: SecretSource
    private let name: String
    private let isFile: Bool

    /// Names the variable that holds the token.
    public init(
        variable name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) {
        source = .environment(name, lookUp: lookUp)
        self.name = SecretFile.shown(name)
        isFile = false
    }

    /// Names the variable that names the file that holds the token.
    public init(
        fileNamedBy name: String, lookUp: @escaping ProcessEnvironment.LookUp = ProcessEnvironment.value
    ) {
        source = .environment(fileNamedBy: name, lookUp: lookUp)
        self.name = SecretFile.shown(name)
        isFile = true
    }

    /// The token.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMissing`, `credentialMisconfigured` for a
    ///   variable or a file that holds something else than a token, or `tokenUnavailable` for a file that holds none
    ///   just now.
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

    /// Always throws: what the environment holds was read just before.
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
