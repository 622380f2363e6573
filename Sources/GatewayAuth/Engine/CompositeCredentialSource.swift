package import GatewayCore

/// A credential of several parts, at most one of which can be renewed, for example an API key and a token. A rejection
/// applies to the renewable part.
package protocol CompositeCredentialSource: CredentialSource {
    /// The renewable part, if any.
    var renewed: (any CredentialSource)? { get }
    /// A copy with another renewable part.
    func replacing(_ renewed: any CredentialSource) -> any CredentialSource
}

extension CompositeCredentialSource {
    /// The identity, after the renewable part has determined its account.
    package func identified() async -> CredentialIdentity {
        _ = await renewed?.identified()
        return identity
    }
}
