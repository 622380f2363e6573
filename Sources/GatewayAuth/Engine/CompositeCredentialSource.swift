package import GatewayCore

/// A credential of several parts, one of which is renewed: an API key beside a token, say. What a refusal leads to, it
/// leads to for that part.
package protocol CompositeCredentialSource: CredentialSource {
    /// The part that is renewed, if there is one.
    var renewed: (any CredentialSource)? { get }
    /// The same with another in its place.
    func replacing(_ renewed: any CredentialSource) -> any CredentialSource
}

extension CompositeCredentialSource {
    /// The identity, once the part that is renewed knows its account.
    package func identified() async -> CredentialIdentity {
        _ = await renewed?.identified()
        return identity
    }
}
