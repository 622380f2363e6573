public import GatewayCore

/// Something that happened to the token of a key. Events hold no secret.
public struct TokenEvent: Sendable {
    /// Which token.
    public let key: TokenKey
    /// Under which login.
    public let epoch: UInt64
    /// The newest generation when it happened.
    public let generation: UInt64
    /// What happened.
    public let kind: Kind

    init(key: TokenKey, epoch: UInt64, generation: UInt64, kind: Kind) {
        self.key = key
        self.epoch = epoch
        self.generation = generation
        self.kind = kind
    }

    /// Why a refresh began.
    @nonexhaustive
    public enum Reason: Sendable {
        /// There was no usable token.
        case demand
        /// The token nears its end.
        case advisory
        /// The token was rejected before its time.
        case rejected
    }

    /// What can happen to a token.
    @nonexhaustive
    public enum Kind: Sendable {
        /// A refresh began.
        case refreshStarted(Reason)
        /// A new token is there; it lives that long from now.
        case refreshed(lifetime: Duration)
        /// The store held a token that another process has renewed; it lives that long from now.
        case adopted(lifetime: Duration)
        /// What was granted, or who signed in or out, could not be stored. It is tried again after a while.
        case storeFailed(NetworkError.Code, retryAfter: Duration)
        /// What could not be stored before is stored now, or has been overtaken by another process.
        case storeRecovered
        /// A refresh failed; the next may begin after a while, or not before somebody signs in.
        case refreshFailed(NetworkError.Code, isPermanent: Bool, retryAfter: Duration?)
        /// A response said that the token is not accepted.
        case rejected
        /// A refresh brought a token for which nobody has a use any more: somebody signed out, or another came
        /// first.
        case grantDiscarded
        /// A grant that nobody has a use for could not be taken back at its issuer. It is not tried again.
        case revocationFailed(NetworkError.Code)
        /// Somebody signed in, here or in a process that shares the store.
        case signedIn
        /// Somebody signed out, here or in a process that shares the store.
        case signedOut
    }
}
