internal import GatewayAuth
internal import GatewayCore

/// What is said about a credential beside the way to its tokens.
struct TokenOptions: Sendable {
    /// Where an issuer's metadata is found.
    struct Issuer: Sendable {
        let name: String
        let convention: AuthorizationServerDiscovery.Convention
        let allowed: Set<Origin>
        /// Whether the name may have lost a slash at its end.
        var admitsSlash = false
    }

    /// Endpoints by name.
    struct Endpoints: Sendable {
        var token: String
        var revocation: String?
        var deviceAuthorization: String?
        var authorization: String?
    }

    var endpoints: Endpoints?
    var issuer: Issuer?
    var scopes = TokenScopes.ofOperation
    var audiences: [String] = []
    var resources: [String] = []
    var subject: String?
    var binding: DPoPBinding?
    var store: (any TokenStore)?
    var policy = TokenRefreshPolicy()
    var onEvent: (@Sendable (TokenEvent) -> Void)?
}
