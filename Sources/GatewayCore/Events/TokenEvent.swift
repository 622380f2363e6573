/// Something that happened to the token of a credential. Events hold no secret.
public struct TokenEvent: Sendable {
    /// When it happened, on the clock of what keeps the token.
    public let instant: ContinuousClock.Instant
    /// The credential and the login that the token belongs to.
    public let credential: CredentialIdentity
    /// The newest generation at the time.
    public let generation: UInt64
    /// The calls (``RequestContext/callID``) that wait for the token at the time, in no particular order.
    public let waitingCalls: [UInt64]
    /// What happened.
    public let kind: Kind

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

    /// Why a refresh began.
    @nonexhaustive
    public enum Reason: Sendable {
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
        /// A refresh began.
        case refreshStarted(Reason)
        /// There is a new token. It expires after `lifetime`, and calls after `renewal` renew it in the background.
        case refreshed(lifetime: Duration, renewal: Duration)
        /// The store held a token that another process has renewed; as ``refreshed(lifetime:renewal:)``.
        case adopted(lifetime: Duration, renewal: Duration)
        /// The token that has come just now lives longer than the policy's longest lifetime, and is renewed
        /// earlier than its issuer requires.
        case lifetimeLimited(issued: Duration, used: Duration)
        /// The server granted fewer scopes than requested. `missing` are the requested scopes that were not granted; a call
        /// that needs one of them gets a 403.
        case scopesNarrowed(missing: [String])
        /// A grant, a sign-in or a sign-out could not be stored. It is tried again after a while.
        case storeFailed(NetworkError.Code, retryAfter: Duration)
        /// What could not be stored before is stored now, or was replaced by another process.
        case storeRecovered
        /// A refresh failed. The next one may begin after a while, or after a sign-in where the failure is permanent.
        case refreshFailed(NetworkError.Code, isPermanent: Bool, retryAfter: Duration?)
        /// A response rejected the token.
        case rejected
        /// A refresh brought a token that is not used any more: somebody signed out, or another token came first.
        case grantDiscarded
        /// A grant that is not used any more could not be revoked. It is not tried again.
        case revocationFailed(NetworkError.Code)
        /// Somebody signed in, here or in a process that shares the store.
        case signedIn
        /// Somebody signed out, here or in a process that shares the store. The credential of the event is the login that
        /// has ended.
        case signedOut
    }
}
