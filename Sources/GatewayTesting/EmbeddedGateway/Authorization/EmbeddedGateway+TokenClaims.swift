extension EmbeddedGateway {
    /// The claims of an access token of the gateway (RFC 9068 §2.2). It does not contain the token.
    public struct TokenClaims: Hashable, Sendable {
        /// `iss`: the issuer.
        public let issuer: String
        /// `sub`: the subject.
        public let subject: String
        /// `client_id`: the client that it was issued to.
        public let clientID: String
        /// `scope`: the scopes.
        public let scopes: [String]
        /// `iat`: the time of issue, in seconds since 1970-01-01T00:00:00Z.
        public let issuedAt: Int64
        /// `exp`: the expiration time, in seconds since 1970-01-01T00:00:00Z.
        public let expiresAt: Int64
        /// `jti`: the unique identifier.
        public let id: String
        /// `gen`: the number of the token, from 1 in the order of issue.
        public let generation: UInt64
        /// `jkt` of `cnf`: the thumbprint of the key that the token is bound to (RFC 9449 §6.1).
        public let keyThumbprint: String?
    }
}
