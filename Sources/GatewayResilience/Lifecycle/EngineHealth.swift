public import GatewayCore

/// The state of an engine at one moment, for health pages, probes and dashboards. It contains no secret: no token, no
/// subject and no header value.
///
/// ```swift
/// let health = await engine.health()
/// return Response(status: health.isReady ? 200 : 503, body: health.json)
/// ```
public struct EngineHealth: Sendable {
    /// The retry budget of an origin.
    public struct RetryBudgetState: Hashable, Sendable {
        /// The number of retries that may be made now.
        public var retries: Int
        /// Whether a retry was refused, and the budget is not full again since.
        public var isExhausted: Bool
    }

    /// Whether a shutdown has begun.
    public var isEnding = false
    /// The number of calls in progress, waiting ones included. A streamed call is in progress until its body ends.
    public var calls = 0
    /// The tokens of the configuration and of generated clients that use the engine, by their labels. A generated
    /// client requests its tokens at its first calls, and has none before.
    public var tokens: [TokenHealth] = []
    /// The connections, and the requests that wait for one, by origin.
    public var connections = TransportStatistics()
    /// The states of the circuit breakers; empty without any.
    public var circuitBreakers: [CircuitBreakerRegistry.Key: CircuitBreaker.State] = [:]
    /// The rate limits that delay calls now, with the calls that wait.
    public var rateLimits: [RateGate.Limit] = []
    /// The permits in use and the waiting calls; `nil` without a bulkhead.
    public var bulkhead: BulkheadStatistics?
    /// The retry budgets that are not full.
    public var retryBudgets: [Origin: RetryBudgetState] = [:]
    /// The hedges so far; `nil` without hedging.
    public var hedging: HedgingStatistics?
    /// The number of calls that share the response of an equal call in progress.
    public var coalesced = 0
    /// The condition of the network; `nil` if the configuration has no source of it.
    public var network: NetworkCondition?
    /// The states of the parts that have joined the engine, such as an offline queue.
    public var parts: [PartHealth] = []

    /// Creates the state of an engine without calls.
    public init() {}

    /// Why the service should get no work: a shutdown, a credential that requires a sign-in or a change of the
    /// configuration, or a part that is not ready. Empty if it is ready.
    ///
    /// Failing servers, open circuits, rate limits and a missing network are no obstacles: other instances have the
    /// same, and calls can fail fast or be answered otherwise.
    public var obstacles: [String] {
        var obstacles = isEnding ? ["the engine is shut down"] : []
        for token in tokens where !token.isReady {
            obstacles.append("no token for \(token.label): \(token.failure?.code.description ?? "unknown")")
        }
        for part in parts where !part.isReady { obstacles.append("\(part.name): \(part.state)") }
        return obstacles
    }

    /// Whether the service should get work: there are no ``obstacles``.
    public var isReady: Bool { obstacles.isEmpty }
}

/// A sink that shows the health of engines.
package protocol EngineHealthObserver: RequestEventSink {
    /// Adds an engine. `health` returns `nil` after it was released. The sink must not keep the engine alive.
    func observe(_ health: @escaping @Sendable () async -> EngineHealth?)
}
