public import GatewayCore

extension EmbeddedGateway {
    /// An access token that was issued without the token endpoint.
    public struct IssuedAccessToken: Sendable {
        /// The token.
        public let token: Secret
        /// The claims of the token.
        public let claims: TokenClaims
    }

    /// The tokens of a signed-in user.
    public struct SignedIn: Sendable {
        /// An access token.
        public let access: IssuedAccessToken
        /// A refresh token. With rotation it can be used once.
        public let refreshToken: Secret
    }
}
