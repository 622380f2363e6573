/// Observes attempts, each as a span of a distributed trace. It is the only writer of the fields `traceparent`, `tracestate`
/// and `baggage`.
public protocol AttemptInstrument: Sendable {
    /// Called when the request is stamped, before it is passed to the transport.
    ///
    /// - Parameters:
    ///   - request: the request; trace fields are set here.
    ///   - context: the context of the call, with the number and the reason of the attempt.
    /// - Returns: the ID of the attempt's span, for ``didEnd(_:_:context:)``.
    func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64

    /// Called when the attempt has a response or has failed, once for each ``willSend(_:context:)``.
    func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext)
}

/// Sends the trace context of the call with each attempt, under a new span ID, and records nothing.
public struct TracePropagation: AttemptInstrument {
    private let random: any RandomSource

    /// Makes an instrument.
    ///
    /// - Parameter random: the source of span IDs.
    public init(random: any RandomSource = FastRandomSource()) { self.random = random }

    /// Sets `traceparent` and `tracestate` if the call has a trace context.
    public func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64 {
        let span = max(1, random.next())
        guard let trace = context.trace?.at(spanID: span) else { return span }
        request.fields[.traceparent] = trace.traceparent
        request.fields[.tracestate] = trace.state.isEmpty ? nil : trace.state
        return span
    }

    /// Does nothing.
    public func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext) {}
}

extension HTTPField.Name {
    /// `traceparent` (W3C Trace Context §3.2).
    package static let traceparent = Self("traceparent")
    /// `tracestate` (W3C Trace Context §3.3).
    package static let tracestate = Self("tracestate")
    /// `baggage` (W3C Baggage §3).
    package static let baggage = Self("baggage")
}
