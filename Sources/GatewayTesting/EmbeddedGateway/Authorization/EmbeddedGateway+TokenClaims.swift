extension EmbeddedGateway {
    /// What an access token of the gateway says (RFC 9068 §2.2). It is not the token.
    public struct TokenClaims: Hashable, Sendable {
        /// `iss`: who issued it.
        public let issuer: String
        /// `sub`: on whose behalf it is used.
        public let subject: String
        /// `client_id`: to whom it was issued.
        public let clientID: String
        /// `scope`: what it allows.
        public let scopes: [String]
        /// `iat`, in seconds since 1970.
        public let issuedAt: Int64
        /// `exp`, in seconds since 1970.
        public let expiresAt: Int64
        /// `jti`: its unique identifier.
        public let id: String
        /// `gen`: tokens of one gateway are numbered from 1 in the order they were issued.
        public let generation: UInt64
        /// `jkt` of `cnf`: the thumbprint of the key that it is bound to (RFC 9449 §6.1).
        public let keyThumbprint: String?
    }
}
