/// Observes attempts, each as a span of a distributed trace. It is the only writer of the fields `traceparent`, `tracestate`
/// and `baggage`.
public protocol AttemptInstrument: Sendable {
    /// Called where a call enters its engine, before its first event: decides on the trace of the call,
    /// ``RequestContext/trace``. Default: does nothing.
    func willBegin(_ request: HTTPRequest, context: inout RequestContext)

    /// Called when the request is stamped, before it is passed to the transport.
    ///
    /// - Parameters:
    ///   - request: the request; trace fields are set here.
    ///   - context: the context of the call, with the number and the reason of the attempt.
    /// - Returns: the ID of the attempt's span, for ``didEnd(_:_:context:)``.
    func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64

    /// Called when the attempt has a response or has failed, once for each ``willSend(_:context:)``.
    func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext)

    /// Called when the call has the outcome of an equal call's attempt, whose span this is. Default: does nothing.
    func didJoin(_ span: TraceContext, context: RequestContext)
}

extension AttemptInstrument {
    /// Default: does nothing.
    public func willBegin(_ request: HTTPRequest, context: inout RequestContext) {}
    /// Default: does nothing.
    public func didJoin(_ span: TraceContext, context: RequestContext) {}
}

/// Sends the trace context and the baggage of the call with each attempt, unchanged, and records nothing: a new span ID would be
/// that of a span which nobody records (W3C Trace Context §3.4), and the server's spans would lose their parent.
public struct TracePropagation: AttemptInstrument {
    /// Makes an instrument.
    public init() {}

    /// Sets `traceparent`, `tracestate` and `baggage` if the call has them.
    ///
    /// - Returns: the ID of the caller's span; 0 if the call has no trace.
    public func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64 {
        let trace = context.trace
        if let trace { request.set(trace) }
        request.set(context.baggage)
        return trace?.spanID ?? 0
    }

    /// Does nothing.
    public func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext) {}
}

extension HTTPRequest {
    /// Sets `traceparent` and `tracestate`.
    package mutating func set(_ trace: TraceContext) {
        setValidField(.traceparent, trace.traceparent)
        if !trace.state.isEmpty {
            setValidField(.tracestate, trace.state)
        } else if fields.contains(.tracestate) {
            fields.remove(.tracestate)
        }
    }

    /// Sets `baggage`, unless there is none.
    package mutating func set(_ baggage: Baggage) {
        if !baggage.isEmpty { setField(.baggage, baggage.field) }
    }
}

extension HTTPField.Name {
    /// `traceparent` (W3C Trace Context §3.2).
    package static let traceparent = Self("traceparent")
    /// `tracestate` (W3C Trace Context §3.3).
    package static let tracestate = Self("tracestate")
    /// `baggage` (W3C Baggage §3).
    package static let baggage = Self("baggage")
}
