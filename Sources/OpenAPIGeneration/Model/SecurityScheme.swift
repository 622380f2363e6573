/// One entry of `components/securitySchemes`.
struct SecurityScheme {
    enum Kind {
        case bearer
        case basic
        case apiKey(Parameter.Location, name: String)
        case oauth2(Flows)
        /// Where the issuer's metadata stands.
        case openID(url: String)
        /// What a function of the client's user puts on, with what it is for people: `http digest`.
        case custom(String)
        /// The connections' business.
        case mutualTLS
    }

    /// Where tokens come from. Texts are empty where the document says nothing.
    struct Flows {
        /// The token endpoint of the first flow that has one, client credentials first.
        var tokenURL = ""
        /// That of the first flow for people, where it is another.
        var signInTokenURL = ""
        /// Where refresh tokens go, where that is another than where people sign in.
        var refreshURL = ""
        var authorizationURL = ""
        var deviceAuthorizationURL = ""
        /// Where the server's metadata stands (RFC 8414).
        var metadataURL = ""
    }

    let name: String
    let kind: Kind
    let text: String?
    let position: SourcePosition
    /// What the flows list and what operations need, sorted.
    var scopes: [String] = []

    /// Whether it takes a credential.
    var isConfigurable: Bool {
        if case .mutualTLS = kind { return false }
        return true
    }
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
