public import GatewayCore

/// The entry layer of calls: validates the request, applies the default deadline, and records the start and end of the
/// call.
///
/// A second entry layer further down passes the call on unchanged.
public struct CallEntryEngine: RequestEngine {
    private let below: any RequestEngine
    private let deadline: Duration?
    private let events: (any RequestEventSink)?
    /// The clock that deadlines are measured on.
    public let clock: any GatewayClock
    /// Those of the engine below.
    public var plainHTTP: PlainHTTPHosts { below.plainHTTP }

    /// Makes a layer above an engine.
    ///
    /// - Parameters:
    ///   - below: the engine that makes the call.
    ///   - deadline: the deadline of calls without one of their own; `nil` for none.
    ///   - events: the event sink of calls whose context has none.
    ///   - clock: the clock that deadlines are measured on.
    public init(
        below: any RequestEngine, deadline: Duration?, events: (any RequestEventSink)? = nil,
        clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        self.deadline = deadline
        self.events = events
        self.clock = clock
    }

    /// Makes the call.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let isEntered = context.isEntered
        let context = isEntered ? context : try enter(request, context)
        if !isEntered, context.events != nil { return try await observed(request, context: context) }
        return try await below.send(request, context: context)
    }

    @inline(never)
    private func enter(
        _ request: HTTPRequest, _ context: RequestContext
    ) throws(NetworkError) -> RequestContext {
        try request.validate()
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the call began.", origin: request.origin)
        }
        var context = context
        context.change { values in
            values.isEntered = true
            if values.deadline == nil, let deadline { values.deadline = .after(deadline, clock: clock) }
        }
        if let events, context.events == nil { context.events = events }
        return context
    }

    @inline(never)
    private func observed(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let start = clock.now
        context.record(.started, for: request)
        do {
            let response = try await below.send(request, context: context)
            context.record(
                .succeeded(
                    status: response.status, attempts: response.exchange.attempts,
                    duration: start.duration(to: clock.now)),
                for: request)
            return response
        } catch {
            context.record(
                .failed(error: error.code, attempts: error.attempts, duration: start.duration(to: clock.now)),
                for: request)
            throw error
        }
    }
}
