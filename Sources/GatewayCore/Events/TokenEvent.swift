/// An event of the token of a credential. Events contain no secrets.
public struct TokenEvent: Sendable {
    /// The time of the event, on the clock of the token coordinator.
    public let instant: ContinuousClock.Instant
    /// The credential and the login that the token belongs to.
    public let credential: CredentialIdentity
    /// The newest generation at that time.
    public let generation: UInt64
    /// The IDs (``RequestContext/callID``) of the calls that were waiting for the token, in no particular order.
    public let waitingCalls: [UInt64]
    /// What happened.
    public let kind: Kind
    /// The span of the token request that the event results from, if token requests are traced.
    package var exchange: TraceContext?
    /// The label of the credential, as in ``TokenHealth/label``; empty if it is not known.
    package var label = ""
    /// ``TokenHealth/isForSubjects``.
    package var isForSubjects = false

    /// Creates an event.
    public init(
        instant: ContinuousClock.Instant = .now, credential: CredentialIdentity, generation: UInt64,
        waitingCalls: [UInt64] = [], kind: Kind
    ) {
        self.instant = instant
        self.credential = credential
        self.generation = generation
        self.waitingCalls = waitingCalls
        self.kind = kind
    }

    /// Why a refresh started.
    @nonexhaustive
    public enum Reason: String, Sendable {
        /// There was no usable token.
        case demand
        /// The token expires soon.
        case advisory
        /// The token was rejected before it expired.
        case rejected
    }

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable {
        /// A refresh started.
        case refreshStarted(Reason)
        /// There is a new token. It expires after `lifetime`, and calls after `renewal` refresh it in the background.
        case refreshed(lifetime: Duration, renewal: Duration)
        /// The store contained a token that another process has refreshed; otherwise like
        /// ``refreshed(lifetime:renewal:)``.
        case adopted(lifetime: Duration, renewal: Duration)
        /// The new token has a longer lifetime than the policy allows, and is refreshed earlier than necessary.
        case lifetimeLimited(issued: Duration, used: Duration)
        /// The server granted fewer scopes than requested. `missing` are the requested scopes that were not granted; a
        /// call that requires one of them gets a 403.
        case scopesNarrowed(missing: [String])
        /// A grant, a sign-in or a sign-out could not be stored. It is retried after this time.
        case storeFailed(NetworkError.Code, retryAfter: Duration)
        /// Everything that could not be stored before is stored now, or was replaced by another process.
        case storeRecovered
        /// A refresh failed, for a cause with the origin, the status and the error code of the token endpoint. `attempt` is
        /// the number of consecutive failures, from 1. The next refresh may start after `retryAfter`, or after a sign-in if
        /// the failure is permanent.
        indirect case refreshFailed(FailureCause, isPermanent: Bool, attempt: Int, retryAfter: Duration?)
        /// A response rejected the token.
        case rejected
        /// A refresh brought a token that is not used, because of a sign-out or because another token came first.
        case grantDiscarded
        /// A grant that is no longer used could not be revoked. It is not retried.
        indirect case revocationFailed(FailureCause)
        /// So many coordinators of this process have each requested a token of the same login within a minute. Probably a
        /// client is made for each call: make it once and share it, and its calls share the token and the connections.
        /// Recorded once in a process for each login.
        case notShared(coordinators: Int)
        /// A sign-in, here or in a process that shares the store.
        case signedIn
        /// The end of a login: a sign-out, or a sign-in in its place, here or in a process that shares the store. The credential of
        /// the event is the ended login.
        case signedOut
    }
}
