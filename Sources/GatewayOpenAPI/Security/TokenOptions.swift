internal import GatewayAuth
internal import GatewayCore

/// The options of a credential that do not depend on its grant.
struct TokenOptions: Sendable {
    /// An issuer and the location of its metadata.
    struct Issuer: Sendable {
        let name: String
        let convention: AuthorizationServerDiscovery.Convention
        let allowed: Set<Origin>
        /// Whether the issuer in the metadata may differ by a trailing slash.
        var ignoresTrailingSlash = false
    }

    /// Explicitly configured endpoint URLs.
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
    /// The account name.
    var account: String?
    /// The statuses besides 401 that reject a token.
    var rejectionStatuses: Set<Int> = []
    var binding: DPoPBinding?
    var store: (any TokenStore)?
    var policy = TokenRefreshPolicy()
    var onEvent: (@Sendable (TokenEvent) -> Void)?
}
