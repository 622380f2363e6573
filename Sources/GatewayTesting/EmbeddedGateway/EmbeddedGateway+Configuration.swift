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
        /// The protection space that challenges name (RFC 9110 §11.5).
        public var realm = "bookshop"
        /// How many books the shop begins with; enough by default for several pages.
        public var bookCount = 120
        /// The API's port; 0 for any free one.
        public var port: UInt16 = 0
        /// The token endpoint's port; 0 for any free one.
        public var tokenPort: UInt16 = 0
        /// How many threads serve connections. Two saturate a client under test on a small machine; four, because a
        /// thread has been seen to stand still where exactly 128 of its connections became ready at one moment
        /// (libmicrohttpd 0.9.75), which many connections on few threads make likely.
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
