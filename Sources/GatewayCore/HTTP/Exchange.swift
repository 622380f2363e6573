/// How a response came about.
public struct Exchange: Hashable, Sendable {
    /// How many attempts the response took; 0 for a stored response that needed none. See ``NetworkError/attempts``.
    public var attempts: Int
    /// The credential with which the *answered* attempt was stamped; `nil` where none was.
    public var stamp: CredentialStamp?
    /// Who answered.
    public var origin: Origin
    /// Where the response came from.
    public var source = Source.network
    /// The connection of the answered attempt, if attempts are observed.
    package var connection: ConnectionInfo?
    /// The wait before the next attempt, where the retry policy asked for one and the deadline left no time for it. A
    /// call with more time may go on from here.
    package var unmetDelay: Duration?
    /// The number of the last attempt that was begun, if it is not the number of the context.
    package var attemptNumber: Int?

    /// Where a response can come from.
    @nonexhaustive
    public enum Source: Hashable, Sendable {
        /// An exchange of the call itself.
        case network
        /// The exchange of an equal call that was in progress at the same time.
        case coalesced
        /// A fresh stored response; nothing was sent.
        case cache
        /// A stored response that is stale; it is validated in the background, the caller accepts it, or the request failed.
        case staleCache
        /// A stored response that the server has validated for this call.
        case revalidated
    }

    /// Makes the account of an exchange.
    public init(origin: Origin, attempts: Int = 1, stamp: CredentialStamp? = nil) {
        self.origin = origin
        self.attempts = attempts
        self.stamp = stamp
    }
}
