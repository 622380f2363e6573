public import GatewayCore

/// A fixed token that cannot be refreshed. If it is rejected, calls fail with the code `reauthenticationRequired`.
public struct StaticTokenProvider: TokenProvider {
    private let token: Secret

    /// Wraps a token.
    public init(_ token: Secret) { self.token = token }

    /// Returns the token.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if the text cannot be sent as a
    ///   token.
    public func currentToken() async throws -> String? {
        if let fault = TokenSyntax.fault(in: token.exposed) {
            throw NetworkError(.credentialMisconfigured, "The fixed token \(fault).")
        }
        return token.exposed
    }

    /// `false`: it only throws.
    public var isSingleUse: Bool { false }

    /// Always throws.
    public func refreshToken() async throws -> String {
        throw NetworkError(
            .reauthenticationRequired, "The fixed token was rejected and cannot be renewed. Replace it.")
    }
}
