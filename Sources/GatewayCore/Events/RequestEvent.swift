/// Something that happened to a call. Events hold no secret: no header value, query, body or token.
public struct RequestEvent: Sendable {
    /// The call.
    public let traceID: UInt64
    /// The operation's name, where the caller gave one.
    public let operation: StaticString?
    /// Who is called.
    public let origin: Origin
    /// The request's method.
    public let method: HTTPMethod
    /// What happened.
    public let kind: Kind

    /// Makes an event.
    public init(
        traceID: UInt64, operation: StaticString?, origin: Origin, method: HTTPMethod, kind: Kind
    ) {
        self.traceID = traceID
        self.operation = operation
        self.origin = origin
        self.method = method
        self.kind = kind
    }

    /// What can happen to a call.
    @nonexhaustive
    public enum Kind: Sendable {
        /// A call began.
        case started
        /// The call joined another that was under way.
        case deduplicated
        /// The call will be sent again.
        case retryScheduled(attempt: Int, delay: Duration, status: Int?, error: NetworkError.Code?)
        /// The call goes on to where a redirect leads.
        case redirected(status: Int, to: Origin)
        /// The gateway rejected the credential of this generation; a newer one is being had.
        case credentialRejected(generation: UInt64)
        /// The call is sent again with a credential of this generation or a later one.
        case replayed(generation: UInt64)
        /// A credential is sent over plain HTTP to a host that ``PlainHTTPHosts`` lists. Recorded once for each origin
        /// by an engine.
        case sentOverPlainHTTP
        /// An exchange on the wire is over, whichever way; of a stream, when its body is. Recorded on the transport's own
        /// thread.
        case exchanged(ExchangeTimings)
        /// The call ended with a response, of whatever status.
        case succeeded(status: Int, attempts: Int, duration: Duration)
        /// The call ended with an error.
        case failed(error: NetworkError.Code, attempts: Int, duration: Duration)
    }
}
