public import GatewayCore

/// The token exchange grant (RFC 8693). Scopes and audiences come from the token key.
///
/// ```swift
/// let exchange = TokenExchange(
///     endpoint: endpoint, subject: TokenExchange.Token(.file("/var/run/secrets/tokens/sa"), type: .jwt))
/// ```
public struct TokenExchange: TokenAcquirer {
    /// A token type identifier (RFC 8693 §3). Any other URI can be used, too.
    public struct TokenType: Hashable, Sendable, CustomStringConvertible {
        /// The URI.
        public let uri: String
        /// Creates a type.
        public init(_ uri: String) { self.uri = uri }

        /// `urn:ietf:params:oauth:token-type:access_token`
        public static let accessToken = TokenType("urn:ietf:params:oauth:token-type:access_token")
        /// `urn:ietf:params:oauth:token-type:refresh_token`
        public static let refreshToken = TokenType("urn:ietf:params:oauth:token-type:refresh_token")
        /// `urn:ietf:params:oauth:token-type:id_token`
        public static let idToken = TokenType("urn:ietf:params:oauth:token-type:id_token")
        /// `urn:ietf:params:oauth:token-type:saml2`
        public static let saml2 = TokenType("urn:ietf:params:oauth:token-type:saml2")
        /// `urn:ietf:params:oauth:token-type:jwt`
        public static let jwt = TokenType("urn:ietf:params:oauth:token-type:jwt")

        /// The URI.
        public var description: String { uri }
    }

    /// An input token of the exchange.
    public struct Token: Sendable {
        /// The source of the token, read for each request.
        public let source: SecretSource
        /// The type of the token.
        public let type: TokenType

        /// Creates an input token.
        public init(_ source: SecretSource, type: TokenType = .accessToken) {
            self.source = source
            self.type = type
        }
    }

    private let endpoint: TokenEndpoint
    private let subject: Token
    private let actor: Token?
    private let requested: TokenType?
    private let resources: [String]

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint.
    ///   - subject: the token of the party on whose behalf the new token is requested.
    ///   - actor: the token of the acting party (§1.1); `nil` if the subject acts itself.
    ///   - requested: the type of the new token; `nil` lets the server choose, and accepts an access token or a JWT.
    ///   - resources: absolute URIs of the target services (RFC 8707), in addition to those of the token key. They are
    ///     part of every request. For different sets use ``TokenKey/resources``.
    public init(
        endpoint: TokenEndpoint, subject: Token, actor: Token? = nil, requesting requested: TokenType? = nil,
        resources: [String] = []
    ) {
        self.endpoint = endpoint
        self.subject = subject
        self.actor = actor
        self.requested = requested
        self.resources = resources
    }

    /// Requests a grant.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`; with the code `tokenResponseMalformed` if
    ///   the server does not return the type of the issued token, or the type is not the requested one (§2.2.1).
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        var parameters = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
            ("subject_token", try await subject.source.read().exposed),
            ("subject_token_type", subject.type.uri),
        ]
        if let actor {
            parameters += [
                ("actor_token", try await actor.source.read().exposed), ("actor_token_type", actor.type.uri),
            ]
        }
        if let requested { parameters.append(("requested_token_type", requested.uri)) }
        parameters += resources.map { ("resource", $0) } + request.key.parameters
        return try await endpoint.grant(
            parameters, issuing: requested.map { [$0] } ?? [.accessToken, .jwt], deadline: request.deadline)
    }

    /// `false`: the request can be repeated.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The binding of the endpoint.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant (RFC 7009), if the revocation endpoint is known.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
