/// The state of the tokens of a credential: of a client at an issuer, with the same scopes. It contains no token and no
/// subject.
///
/// Tokens for several subjects or tenants are one value, with numbers.
public struct TokenHealth: Hashable, Sendable {
    /// Why no token could be obtained.
    public struct Failure: Hashable, Sendable {
        /// The code of the error.
        public var code: NetworkError.Code
        /// Whether a sign-in or a change of the configuration is required.
        public var isPermanent: Bool
        /// The time until the next attempt, which the next call makes; `nil` if the failure is permanent.
        public var retryAfter: Duration?

        /// Creates a failure.
        public init(code: NetworkError.Code, isPermanent: Bool, retryAfter: Duration? = nil) {
            self.code = code
            self.isPermanent = isPermanent
            self.retryAfter = retryAfter
        }
    }

    /// The issuer, the client and the scopes, separated by spaces; `default` if none of them is known.
    public var label: String
    /// Whether the tokens are for subjects: they do not decide whether a service is ready.
    public var isForSubjects: Bool
    /// The number of credentials with this label, with and without a token.
    public var credentials = 0
    /// The number of credentials with a token that can be sent.
    public var usable = 0
    /// The number of refreshes in progress.
    public var refreshing = 0
    /// The number of credentials whose last refresh failed. Their tokens may still be usable.
    public var failed = 0
    /// The number of credentials without a usable token that require a sign-in or a change of the configuration.
    public var unavailable = 0
    /// The number of calls and other callers that wait for a token.
    public var waiting = 0
    /// The remaining lifetime of the usable token that expires first; `nil` without one.
    public var validFor: Duration?
    /// The failure of a refresh; one that requires a sign-in takes precedence. `nil` if none failed.
    public var failure: Failure?

    /// Creates a state without credentials.
    public init(label: String, isForSubjects: Bool = false) {
        self.label = label
        self.isForSubjects = isForSubjects
    }

    /// Whether calls can get a token now or after a refresh. Tokens for subjects never prevent that.
    public var isReady: Bool { isForSubjects || unavailable == 0 }

    /// Adds the numbers of another value with the same label.
    package mutating func add(_ other: TokenHealth) {
        credentials += other.credentials
        usable += other.usable
        refreshing += other.refreshing
        failed += other.failed
        unavailable += other.unavailable
        waiting += other.waiting
        if let valid = other.validFor { validFor = min(validFor ?? valid, valid) }
        if failure == nil || other.failure?.isPermanent == true { failure = other.failure ?? failure }
    }

    /// One value for each label, sorted by label.
    package static func merged(_ all: [TokenHealth]) -> [TokenHealth] {
        struct Key: Hashable {
            let label: String
            let isForSubjects: Bool
        }
        let merged = all.reduce(into: [Key: TokenHealth]()) { merged, health in
            let key = Key(label: health.label, isForSubjects: health.isForSubjects)
            merged[key, default: TokenHealth(label: health.label, isForSubjects: health.isForSubjects)]
                .add(health)
        }
        return merged.values.sorted {
            ($0.label, $0.isForSubjects ? 1 : 0) < ($1.label, $1.isForSubjects ? 1 : 0)
        }
    }
}

/// Keeps the tokens of an engine's calls.
package protocol TokenKeeping: AnyObject, Sendable {
    /// The state of the tokens, one value for each label. Requests nothing, and does not count as a use.
    var health: [TokenHealth] { get }

    /// Gets the tokens that calls of the program itself need, if there are none.
    func warmUp(until deadline: Deadline?) async throws(NetworkError)

    /// Waits until everything is stored.
    func waitUntilAllStored(until deadline: Deadline) async

    /// Waits until the token requests in progress have ended.
    func waitForRequests() async
}
