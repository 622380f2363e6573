public import GatewayCore

extension EmbeddedGateway {
    /// An access token made without the token endpoint.
    public struct IssuedAccessToken: Sendable {
        /// The token.
        public let token: Secret
        /// What it says.
        public let claims: TokenClaims
    }

    /// The tokens of somebody who has signed in.
    public struct SignedIn: Sendable {
        /// An access token.
        public let access: IssuedAccessToken
        /// A refresh token, good once where tokens rotate.
        public let refreshToken: Secret
    }
}
