public import GatewayCore

/// The token exchange grant: one token for another (RFC 8693). Scopes and audiences come from the key.
///
/// ```swift
/// let exchange = TokenExchange(
///     endpoint: endpoint, subject: TokenExchange.Token(.file("/var/run/secrets/tokens/sa"), type: .jwt))
/// ```
public struct TokenExchange: TokenAcquirer {
    /// What a token is (RFC 8693 §3). Any other URI is a type as well.
    public struct TokenType: Hashable, Sendable, CustomStringConvertible {
        /// The URI.
        public let uri: String
        /// Names a type.
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

    /// A token that goes into the exchange.
    public struct Token: Sendable {
        /// Where it is had from, anew for each request.
        public let source: SecretSource
        /// What it is.
        public let type: TokenType

        /// Names a token.
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

    /// Prepares an exchange.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint.
    ///   - subject: on whose behalf the new token is.
    ///   - actor: who acts on that behalf (§1.1); `nil` where nobody but the subject is told of.
    ///   - requested: what the new token shall be; `nil` leaves it to the server, and takes an access token or a JWT.
    ///   - resources: absolute URIs of what the token is for (RFC 8707), beside those of the key. They are part of
    ///     every request; who needs several sets names them in the key (``TokenKey/resources``).
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

    /// Gets a grant.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`; with the code `tokenResponseMalformed`
    ///   where the server does not say what it issued, or issued something else than was asked for (§2.2.1).
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

    /// `false`: it spends nothing.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The endpoint's.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant where the endpoint was given a revocation endpoint (RFC 7009).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
