public import GatewayCore

/// The entry layer of calls: validates the request, applies the default deadline, and records the start and end of the
/// call.
///
/// A second entry layer further down passes the call on unchanged.
public struct CallEntryEngine: EngineLayer {
    private let below: any RequestEngine
    private let deadline: Duration?
    private let events: (any RequestEventSink)?
    /// The way back to the engine whose outermost layers are this one and those above it.
    package var reentry: EngineReentry?
    /// The error that all calls fail with: the configuration is not valid.
    package var problem: NetworkError?
    /// Adapts the limits of calls; `nil` for none.
    package var adaptation: (any CallAdaptation)?
    private var timeoutRates: TimeoutRates?
    /// The options of calls by their operation.
    public let operationOptions: OperationOptions
    /// The engine below.
    public var engineBelow: any RequestEngine { below }
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
    ///   - operations: the options of calls by their operation.
    ///   - timeoutAlert: when an operation that times out often is reported; `nil` for never.
    ///   - clock: the clock that deadlines are measured on.
    public init(
        below: any RequestEngine, deadline: Duration?, events: (any RequestEventSink)? = nil,
        operations: OperationOptions = OperationOptions(), timeoutAlert: TimeoutAlert? = .standard,
        clock: any GatewayClock = SystemClock()
    ) {
        self.below = below
        self.deadline = deadline
        self.events = events
        operationOptions = operations
        self.clock = clock
        timeoutRates = timeoutAlert.map { TimeoutRates($0, clock: clock) }
    }

    /// Makes the call.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        if !context.isEntered {
            try enter(request, &context)
            if context.events != nil { return try await observed(request, context: consume context) }
        }
        return try await below.send(request, context: consume context)
    }

    @inline(never)
    private func enter(
        _ request: HTTPRequest, _ context: inout RequestContext
    ) throws(NetworkError) {
        if let problem { throw problem }
        try request.validate()
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the call began.", origin: request.origin)
        }
        let limit = adaptation.map { $0.deadline(deadline, of: request.origin) } ?? deadline
        context.enter(
            deadline: limit.map { .after($0, clock: clock) }, events: events, reentry: reentry)
        guard let adaptation else { return }
        if context.retry == nil { context.retry = adaptation.retry(of: request.origin) }
        if let limits = adaptation.limits(of: request.origin) {
            context.limits = context.limits?.over(limits) ?? limits
        }
        adaptation.begin(context, to: request.origin)
    }

    @inline(never)
    private func observed(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let observer = copy context
        let start = clock.now
        observer.record(.started, for: request, at: start)
        do {
            let response = try await below.send(request, context: consume context)
            ended(response, request, observer, since: start)
            return response
        } catch {
            ended(error, request, observer, since: start)
            throw error
        }
    }

    // Events are large: out of line, they are no part of the async frame.

    @inline(never)
    private func ended(
        _ response: HTTPResponse, _ request: HTTPRequest, _ observer: RequestContext,
        since start: ContinuousClock.Instant
    ) {
        let now = clock.now
        observer.record(
            .succeeded(
                status: response.status, attempts: response.exchange.attempts,
                duration: start.duration(to: now)),
            for: request, at: now)
        if observer.isObserved(as: .state) { timeoutRates?.record(nil, of: request, observer, at: now) }
    }

    @inline(never)
    private func ended(
        _ error: NetworkError, _ request: HTTPRequest, _ observer: RequestContext,
        since start: ContinuousClock.Instant
    ) {
        let now = clock.now
        let duration = start.duration(to: now)
        observer.record(
            error.code == .cancelled
                ? .cancelled(attempts: error.attempts, duration: duration)
                : .failed(error: error.code, attempts: error.attempts, duration: duration),
            for: request, at: now)
        if observer.isObserved(as: .state) { timeoutRates?.record(error, of: request, observer, at: now) }
    }
}
