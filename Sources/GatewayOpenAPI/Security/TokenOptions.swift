internal import GatewayAuth
internal import GatewayCore

/// The options of a credential, apart from how it gets its tokens.
struct TokenOptions: Sendable {
    /// Where an issuer's metadata is found.
    struct Issuer: Sendable {
        let name: String
        let convention: AuthorizationServerDiscovery.Convention
        let allowed: Set<Origin>
        /// Whether the issuer in the metadata may differ by a slash at its end.
        var ignoresTrailingSlash = false
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
    /// The name of the account.
    var account: String?
    /// The statuses besides 401 that reject a token.
    var rejectionStatuses: Set<Int> = []
    var binding: DPoPBinding?
    var store: (any TokenStore)?
    var policy = TokenRefreshPolicy()
    var onEvent: (@Sendable (TokenEvent) -> Void)?
}
