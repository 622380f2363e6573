/// One entry of `components/securitySchemes`.
struct SecurityScheme {
    enum Kind {
        /// Also OpenID Connect, whose tokens are bearer tokens.
        case bearer
        case basic
        case apiKey(Parameter.Location, name: String)
        /// The token endpoint of the first flow that has one, client credentials first; empty for none.
        case oauth2(tokenURL: String)
    }

    let name: String
    let kind: Kind
    let text: String?
    let position: SourcePosition
}

/// What an operation needs: one of the alternatives, each of which holds all its schemes.
struct SecurityRequirement {
    struct Scheme {
        let name: String
        let scopes: [String]
    }

    /// No alternative: no credentials are attached. An alternative without schemes: they are optional.
    let alternatives: [[Scheme]]
}
