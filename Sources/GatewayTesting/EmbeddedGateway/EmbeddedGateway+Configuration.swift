public import GatewayAuth
public import GatewayCore

extension EmbeddedGateway {
    /// How a gateway is set up. Every default suits a test.
    public struct Configuration: Sendable {
        /// Where the time comes from: for the expiry of tokens, for latencies and for the journal.
        public var clock: any GatewayClock = SystemClock()
        /// Where randomness comes from: secrets, identifiers and the dice of faults. A seeded source makes a run
        /// repeatable, and its secrets guessable.
        public var random: any RandomSource = SystemRandomSource()
        /// Who may ask for tokens.
        public var clients: [Client] = [Client()]
        /// How long an access token lives. Five minutes are short for a service and long for a test.
        public var accessTokenLifetime: Duration = .seconds(300)
        /// What signs access tokens: by default HS256 with a secret that the gateway makes up.
        public var signing = Signing.generatedSecret
        /// Whether each use of a refresh token replaces it by another (RFC 9700 §4.14.2).
        public var rotatesRefreshTokens = true
        /// Whose assertions and tokens are taken for others (RFC 7523 §2.1, RFC 8693), with what verifies them.
        public var trustedIssuers: [String: JSONWebTokenKey] = [:]
        /// How tokens are bound to their holders' keys.
        public var binding = TokenBinding.none
        /// How long somebody has to enter a device's code, and how often the device may ask (RFC 8628 §3.2).
        public var deviceCodes = DeviceCodes()
        /// The protection space that challenges name (RFC 9110 §11.5).
        public var realm = "bookshop"
        /// How many books the shop begins with; enough by default for several pages.
        public var bookCount = 120
        /// The API's port; 0 for any free one.
        public var port: UInt16 = 0
        /// The token endpoint's port; 0 for any free one.
        public var tokenPort: UInt16 = 0
        /// How many threads serve connections, at least one. Two saturate a client under test on a small machine.
        public var threads = 4
        /// How many requests the journal remembers; 0 for none.
        public var journalLimit = 10_000
        /// For how many idempotency keys, the latest ones, the shop remembers what it answered, at least one.
        public var idempotencyKeyLimit = 10_000
        /// The longest content of a request that is taken; beyond it the answer is 413.
        public var maximumRequestBytes = 8 << 20

        /// A set-up with all defaults.
        public init() {}
    }

    /// A client of the token endpoint (RFC 6749 §2).
    public struct Client: Sendable {
        /// Its identifier.
        public var id: String
        /// Its secret.
        public var secret: Secret
        /// The scopes it may have; it gets all of them where it asks for none.
        public var scopes: [String]
        /// What verifies the assertions that it signs (RFC 7523 §2.2); it proves by none where there are no keys.
        public var assertionKeys: [JSONWebTokenKey] = []
        /// Whether it proves itself by nothing but its identifier (RFC 6749 §2.1).
        public var isPublic = false
        /// Where people are sent back to after they have signed in (RFC 6749 §3.1.2). At loopback addresses any port
        /// will do (RFC 8252 §7.3).
        public var redirectURIs: [String] = []

        /// Makes a client.
        ///
        /// The default's secret holds characters that must be encoded both in forms and for `client_secret_basic`
        /// (RFC 6749 §2.3.1), so that a client that forgets it is found out.
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
        /// They are bearer tokens; a proof is not looked at.
        case none
        /// Whoever shows a proof gets a token for its key, and others a bearer token.
        case offered
        /// Nobody gets a token without a proof, and proofs hold no nonce of ours.
        case required
        /// The same with nonces (RFC 9449 §8, §9).
        case requiredWithNonces
    }

    /// What devices are told (RFC 8628 §3.2).
    public struct DeviceCodes: Sendable {
        /// How long a code lives.
        public var lifetime: Duration = .seconds(600)
        /// What is told as `interval`; `nil` for nothing, which means 5 seconds (§3.5).
        public var interval: Duration?

        /// Ten minutes, and nothing told of the interval.
        public init() {}
    }

    /// What access tokens are signed with.
    public enum Signing: Sendable {
        /// HS256 with a secret that the gateway makes up.
        case generatedSecret
        /// A key of your own: a shared secret.
        case secret(JSONWebTokenKey)
        /// A key pair of your own, RS256 say.
        case keyPair(signing: JSONWebTokenKey, verification: JSONWebTokenKey)
    }
}
