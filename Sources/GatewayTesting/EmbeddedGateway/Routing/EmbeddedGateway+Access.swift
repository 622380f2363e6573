extension EmbeddedGateway {
    /// The required credential of a route.
    public struct Access: Sendable {
        /// Sets of scopes, one of which the token must contain completely; `nil` if no token is required.
        let alternatives: [[String]]?
        /// Whether a partner token (see ``EmbeddedGateway/issuePartnerToken(subject:lifetime:)``) is also accepted.
        let admitsPartners: Bool

        /// No token is required.
        public static let open = Access(alternatives: nil, admitsPartners: false)
        /// Any valid token, with any scopes.
        public static let anyToken = Access(alternatives: [[]], admitsPartners: true)

        /// A token with all of these scopes.
        public static func scopes(_ scopes: String...) -> Access {
            Access(alternatives: [scopes], admitsPartners: false)
        }

        /// A token with all scopes of one of these sets, or optionally a partner token.
        public static func anyOf(_ alternatives: [[String]], orPartner admitsPartners: Bool = false) -> Access
        {
            Access(alternatives: alternatives, admitsPartners: admitsPartners)
        }
    }
}
