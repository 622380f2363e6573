public import GatewayAuth
public import GatewayCore

extension EmbeddedGateway {
    /// The configuration of a gateway. The defaults are suitable for tests.
    public struct Configuration: Sendable {
        /// The clock for the expiration of tokens, for latencies and for the journal.
        public var clock: any GatewayClock = SystemClock()
        /// The source of randomness for secrets, identifiers and the probabilities of faults. A seeded source makes a
        /// run repeatable, and its secrets predictable.
        public var random: any RandomSource = SystemRandomSource()
        /// The clients of the token endpoint.
        public var clients: [Client] = [Client()]
        /// The lifetime of access tokens. Default: 5 min, which is short for a service and long for a test.
        public var accessTokenLifetime: Duration = .seconds(300)
        /// The signing key of access tokens. Default: HS256 with a generated secret.
        public var signing = Signing.generatedSecret
        /// Whether each use of a refresh token replaces it by another (RFC 9700 §4.14.2).
        public var rotatesRefreshTokens = true
        /// The issuers whose assertions and tokens are accepted (RFC 7523 §2.1, RFC 8693), with their verification
        /// keys.
        public var trustedIssuers: [String: JSONWebTokenKey] = [:]
        /// How tokens are bound to keys.
        public var binding = TokenBinding.none
        /// The lifetime of device codes and the polling interval (RFC 8628 §3.2).
        public var deviceCodes = DeviceCodes()
        /// The realm in challenges (RFC 9110 §11.5).
        public var realm = "bookshop"
        /// The initial number of books. Default: 120, which is several pages.
        public var bookCount = 120
        /// The port of the API; 0 for any free port.
        public var port: UInt16 = 0
        /// The port of the token endpoint; 0 for any free port.
        public var tokenPort: UInt16 = 0
        /// The number of threads for connections, at least 1. Default: 4. Two saturate a client under test on a small
        /// machine.
        public var threads = 4
        /// The maximum number of requests in the journal; 0 for none.
        public var journalLimit = 10_000
        /// The number of idempotency keys for which the shop stores responses, at least 1. The newest are kept.
        public var idempotencyKeyLimit = 10_000
        /// The maximum content size of a request, in bytes. Larger requests get a 413 response. Default: 8 MiB.
        public var maximumRequestBytes = 8 << 20

        /// Creates the default configuration.
        public init() {}
    }

    /// A client of the token endpoint (RFC 6749 §2).
    public struct Client: Sendable {
        /// The client identifier.
        public var id: String
        /// The client secret.
        public var secret: Secret
        /// The allowed scopes. If a request has no scopes, all of them are granted.
        public var scopes: [String]
        /// The verification keys of the client's assertions (RFC 7523 §2.2). Without keys assertions are not accepted.
        public var assertionKeys: [JSONWebTokenKey] = []
        /// Whether the client authenticates only with its identifier (RFC 6749 §2.1).
        public var isPublic = false
        /// The registered redirect URIs (RFC 6749 §3.1.2). For loopback addresses any port is accepted (RFC 8252 §7.3).
        public var redirectURIs: [String] = []

        /// Creates a client.
        ///
        /// The default secret contains characters that must be encoded in forms and for `client_secret_basic` (RFC 6749
        /// §2.3.1), to detect clients that do not encode.
        public init(
            id: String = "bookshop-service", secret: Secret = Secret("shop+secret: 100%"),
            scopes: [String] = ["books:read", "books:write", "orders:read", "orders:write", "stock:admin"]
        ) {
            self.id = id
            self.secret = secret
            self.scopes = scopes
        }
    }

    /// How access tokens are bound to keys (RFC 9449).
    public enum TokenBinding: Sendable {
        /// Tokens are bearer tokens; proofs are ignored.
        case none
        /// A request with a proof gets a bound token, other requests get a bearer token.
        case offered
        /// A proof is required. Nonces are not used.
        case required
        /// A proof with a nonce is required (RFC 9449 §8, §9).
        case requiredWithNonces
    }

    /// The parameters of the device flow (RFC 8628 §3.2).
    public struct DeviceCodes: Sendable {
        /// The lifetime of a code. Default: 10 min.
        public var lifetime: Duration = .seconds(600)
        /// The value of `interval`; `nil` omits it, which means 5 s (§3.5).
        public var interval: Duration?

        /// Creates the default parameters.
        public init() {}
    }

    /// The signing key of access tokens.
    public enum Signing: Sendable {
        /// HS256 with a generated secret.
        case generatedSecret
        /// Your own shared secret.
        case secret(JSONWebTokenKey)
        /// Your own key pair, for example for RS256.
        case keyPair(signing: JSONWebTokenKey, verification: JSONWebTokenKey)
    }
}
