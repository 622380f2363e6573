extension EmbeddedGateway {
    /// Whom a route serves.
    public struct Access: Sendable {
        /// Sets of scopes of which a token needs one whole; `nil` for everybody.
        let alternatives: [[String]]?
        /// Whether a partner's token (see ``EmbeddedGateway/issuePartnerToken(subject:lifetime:)``) will do too.
        let admitsPartners: Bool

        /// Everybody, without a token.
        public static let open = Access(alternatives: nil, admitsPartners: false)
        /// Whoever has a good token, whatever its scopes.
        public static let anyToken = Access(alternatives: [[]], admitsPartners: true)

        /// Whoever has a token with all of these scopes.
        public static func scopes(_ scopes: String...) -> Access {
            Access(alternatives: [scopes], admitsPartners: false)
        }

        /// Whoever has a token with all the scopes of one of these sets, or a partner's token.
        public static func anyOf(_ alternatives: [[String]], orPartner admitsPartners: Bool = false) -> Access
        {
            Access(alternatives: alternatives, admitsPartners: admitsPartners)
        }
    }
}
