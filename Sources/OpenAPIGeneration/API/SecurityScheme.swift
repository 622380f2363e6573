/// One entry of `components/securitySchemes`.
struct SecurityScheme {
    enum Kind {
        case bearer
        case basic
        case apiKey(Parameter.Location, name: String)
        case oauth2(Flows)
        /// The URL of the issuer's metadata.
        case openID(url: String)
        /// A credential that the user attaches with a function, with its description: `http digest`.
        case custom(String)
        /// A client certificate of the connection.
        case mutualTLS
    }

    /// The OAuth endpoints. Empty if the document does not define them.
    struct Flows {
        /// The token endpoint of the first flow that has one, client credentials first.
        var tokenURL = ""
        /// The token endpoint of the first interactive flow, if it differs.
        var signInTokenURL = ""
        /// The endpoint for refresh tokens, if it differs from the sign-in endpoint.
        var refreshURL = ""
        var authorizationURL = ""
        var deviceAuthorizationURL = ""
        /// The URL of the server's metadata (RFC 8414).
        var metadataURL = ""
    }

    let name: String
    let kind: Kind
    let text: String?
    let position: SourcePosition
    /// The scopes of the flows and of the operations, sorted.
    var scopes: [String] = []

    /// Whether the scheme requires a credential.
    var isConfigurable: Bool {
        if case .mutualTLS = kind { return false }
        return true
    }
}

/// The security requirement of an operation: one of the alternatives, each with all its schemes.
struct SecurityRequirement {
    struct Scheme {
        let name: String
        let scopes: [String]
    }

    /// No alternative: the document says nothing. An alternative without schemes: credentials are optional, or, if it
    /// is the only one, not sent.
    let alternatives: [[Scheme]]
}
