/// How a response was obtained.
public struct Exchange: Hashable, Sendable {
    /// The number of attempts for the response; 0 for a stored response without a request. See
    /// ``NetworkError/attempts``.
    public var attempts: Int
    /// The credential of the attempt that brought the response; `nil` without one.
    public var stamp: CredentialStamp?
    /// The origin that responded.
    public var origin: Origin
    /// Where the response comes from.
    public var source = Source.network
    /// The connection of the attempt that brought the response, if attempts are observed.
    package var connection: ConnectionInfo?
    /// The timings of that attempt until the header fields of a streamed response, if they are observed.
    package var headTimings: HeadTimings?
    /// The span of that attempt, if there is an instrument and the call has a trace.
    package var span: ExchangeSpan?
    /// The delay before the next attempt, if the retry policy requested one that ends after the deadline. A call with a
    /// later deadline may continue from here.
    package var unmetDelay: Duration?
    /// The number of the last started attempt, if it differs from the number in the context.
    package var attemptNumber: Int?

    /// The possible sources of a response.
    @nonexhaustive
    public enum Source: Hashable, Sendable {
        /// An exchange of the call itself.
        case network
        /// The exchange of an equal call that was in progress.
        case coalesced
        /// A fresh stored response. Nothing was sent.
        case cache
        /// A stale stored response, because it is being revalidated in the background, the caller accepts it, or the
        /// request failed.
        case staleCache
        /// A stored response that the server has revalidated for this call.
        case revalidated
    }

    /// Creates an exchange.
    public init(origin: Origin, attempts: Int = 1, stamp: CredentialStamp? = nil) {
        self.origin = origin
        self.attempts = attempts
        self.stamp = stamp
    }
}
