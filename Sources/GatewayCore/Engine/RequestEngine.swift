/// Any number of exchanges for one call.
///
/// Every status is a response, never an error: the last one, when retries run out. Engines are layered: each
/// knows the protocol below it and nothing else.
public protocol RequestEngine: Sendable {
    /// Makes the call and gives the final answer.
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse

    /// The clock that the deadlines of its calls are counted on. By default the system's; an engine with a clock of its
    /// own returns that, and one above another engine the other's.
    var clock: any GatewayClock { get }

    /// The hosts that credentials may be sent to over plain HTTP. By default none; an engine above another engine returns
    /// the other's.
    var plainHTTP: PlainHTTPHosts { get }
}

extension RequestEngine {
    /// The system's clock.
    public var clock: any GatewayClock { SystemClock() }
    /// None.
    public var plainHTTP: PlainHTTPHosts { .none }
}

extension RequestEngine {
    /// The entry for people: applies the options, makes the context, and sends.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - options: deadline, retry policy, idempotency key and headers of this call.
    ///   - operation: the operation's name, for events and metrics.
    public func send(
        _ request: HTTPRequest, options: CallOptions = CallOptions(), operation: StaticString? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        request.apply(options)
        return try await send(
            request, context: RequestContext(options: options, operation: operation, clock: clock))
    }
}
