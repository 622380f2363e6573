/// An instrument of the collector. Names are those of OpenTelemetry where it has one.
enum Instrument: CaseIterable, Hashable, Sendable {
    case requestDuration, activeRequests, openConnections, timeInQueue
    case callDuration, activeCalls, startedCalls, bodyFailures, coalesced, attempts
    case retryDelay, refusedRetries, redirects, rejectedCredentials, replays
    case tokenWait, tokenRefreshes, tokenRefreshDuration, tokenExpiry, tokenEvents
    case waitingRequests, circuitState, circuitTransitions
    case heldCalls, rateGateWait, rateGateClosed, ignoredRateLimitFields
    case admissionWait, bulkheadOverloaded, concurrencyLimit
    case hedges, hedgeDecisions, hedgeBudgetExhaustions
    case cacheLookups, storedResponses, cacheEvictions, cacheStoreFailures, fallbacks
    case refreshSuspended, retryBudgetExhausted, timeoutRateExceeded, plainHTTPOrigins, stateEvents
    case networkOnline, networkTransitions, networkQuality, networkObstacle, networkAdaptation
    case queueEntries, queueStored, queueAttempts, queueAge, queueMoves, queueRefusals, queueHeld,
        queueStoreFailures

    /// How values are combined.
    enum Form: Hashable, Sendable {
        /// A sum that only grows.
        case counter
        /// A current value.
        case gauge
        /// A distribution of durations, in seconds.
        case histogram
    }

    /// What an instrument is. `labels` are the names of the labels of a ``Measurement``; other series have labels by their
    /// keys.
    struct Descriptor: Sendable {
        let name: String
        let form: Form
        let help: String
        let labels: [String]
        let isInSeconds: Bool

        fileprivate init(
            _ name: String, _ form: Form, _ help: String, _ labels: [String], isInSeconds: Bool = false
        ) {
            self.name = name
            self.form = form
            self.help = help
            self.labels = labels
            self.isInSeconds = isInSeconds || form == .histogram
        }

        fileprivate static func counter(_ name: String, _ help: String, _ labels: [String] = []) -> Self {
            Self("gateway.client." + name, .counter, help, labels)
        }

        fileprivate static func gauge(
            _ name: String, _ help: String, _ labels: [String] = [], isInSeconds: Bool = false
        ) -> Self {
            Self("gateway.client." + name, .gauge, help, labels, isInSeconds: isInSeconds)
        }

        fileprivate static func histogram(_ name: String, _ help: String, _ labels: [String] = []) -> Self {
            Self("gateway.client." + name, .histogram, help, labels)
        }
    }

    /// The name, form, help text and label names.
    var descriptor: Descriptor {
        switch self {
        case .requestDuration:
            Descriptor(
                "http.client.request.duration", .histogram,
                "Duration of HTTP requests, one for each attempt that was sent.", [])
        case .activeRequests: Descriptor("http.client.active_requests", .gauge, "Attempts in progress.", [])
        case .openConnections:
            Descriptor(
                "http.client.open_connections", .gauge,
                "Open connections by state.", Self.server + ["http.connection.state"])
        case .timeInQueue:
            Descriptor(
                "gateway.client.request.time_in_queue", .histogram,
                "Time that requests waited for a connection.", [])
        case .callDuration:
            .histogram("call.duration", "Duration of calls, with their waits, retries and redirects.")
        case .activeCalls: .gauge("active_calls", "Calls in progress.")
        case .startedCalls: .counter("started_calls", "Calls that began.")
        case .bodyFailures:
            .counter(
                "body_failures",
                "Streamed bodies that ended early, after their calls had succeeded, by the code of the error.",
                Self.server + ["error"])
        case .coalesced:
            .counter(
                "coalesced_calls", "Calls that waited for the response of an equal call.", Self.operation)
        case .attempts: .counter("attempts", "Attempts by the reason why they were made.")
        case .retryDelay:
            .histogram(
                "retry.delay", "Delays before retries, by what caused the retry.", Self.server + ["cause"])
        case .refusedRetries:
            .counter(
                "refused_retries",
                "Failed attempts that no retry followed, by the reason.", Self.server + ["reason"])
        case .redirects: .counter("redirects", "Redirects that were followed.", Self.server)
        case .rejectedCredentials:
            .counter(
                "rejected_credentials", "Calls whose credential was rejected by the server.", Self.server)
        case .replays: .counter("replays", "Calls that were sent again with another credential.", Self.server)
        case .tokenWait: .histogram("token.wait", "Time that calls waited for their credential.", Self.server)
        case .tokenRefreshes:
            .counter("token.refreshes", "Token refreshes by reason and outcome.", ["reason", "outcome"])
        case .tokenRefreshDuration:
            .histogram("token.refresh.duration", "Duration of token refreshes.", ["reason", "outcome"])
        case .tokenExpiry:
            .gauge(
                "token.time_to_expiry",
                "Time until the first of the current tokens expires; negative after that.", isInSeconds: true)
        case .tokenEvents: .counter("token.events", "Events of tokens by kind.", ["kind"])
        case .waitingRequests: .gauge("waiting_requests", "Requests that wait for a connection.", Self.server)
        case .circuitState:
            .gauge("circuit.state", "1 for the current state of each circuit breaker.", ["name", "state"])
        case .circuitTransitions:
            .counter(
                "circuit.transitions", "Changes of circuit breakers by their new state.", ["name", "state"])
        case .heldCalls:
            .counter("rate_gate.held_calls", "Calls that a rate limit of the server held back.", Self.server)
        case .rateGateWait:
            .histogram("rate_gate.wait", "Time that calls waited for their turn in a rate gate.", Self.server)
        case .rateGateClosed:
            .gauge("rate_gate.closed", "1 while the rate limit holds calls back.", Self.server + ["name"])
        case .ignoredRateLimitFields:
            .counter(
                "rate_gate.ignored_fields",
                "Fields about rate limits whose values make no sense.", Self.server)
        case .admissionWait:
            .histogram(
                "admission.wait",
                "Time that attempts waited for their admission, as in a bulkhead.", Self.server)
        case .bulkheadOverloaded:
            .gauge("bulkhead.overloaded", "1 while the bulkhead turns calls to the origin away.", Self.server)
        case .concurrencyLimit:
            .gauge("bulkhead.limit", "The limit of calls in progress when it was last reported.", Self.server)
        case .hedges: .counter("hedges", "Second attempts for slow reads.", Self.server)
        case .hedgeDecisions:
            .counter("hedge.decisions", "Hedged calls by the attempt that won.", Self.server + ["winner"])
        case .hedgeBudgetExhaustions:
            .counter(
                "hedge.budget_exhaustions",
                "How often the budget of hedges of an origin was exhausted.", Self.server)
        case .cacheLookups:
            .counter(
                "cache.lookups",
                "Results of the cache. A request that is sent counts as miss, and again if a stored response is used after all.",
                Self.server + ["result"])
        case .storedResponses:
            .counter("cache.stored_responses", "Responses that the cache has stored.", Self.server)
        case .cacheEvictions:
            .counter(
                "cache.evictions",
                "How often stored responses were removed to make room for another one.", Self.server)
        case .cacheStoreFailures:
            .counter(
                "cache.store_failures",
                "Failures of the store of the cache, by the code of the error.", Self.server + ["error"])
        case .fallbacks:
            .counter(
                "fallbacks",
                "Calls that a fallback answered, by its name and the code of the error that it replaced.",
                Self.server + [
                    "step",
                    "error",
                ])
        case .refreshSuspended:
            .gauge("token.refresh.suspended", "1 while refreshes for the origin are suspended.", Self.server)
        case .retryBudgetExhausted:
            .gauge(
                "retry_budget.exhausted", "1 while the retry budget of the origin is exhausted.", Self.server)
        case .timeoutRateExceeded:
            .gauge(
                "timeout_rate.exceeded",
                "1 while many calls of the operation time out.", Self.server + ["gateway.operation"])
        case .plainHTTPOrigins:
            .counter("plain_http", "Origins that credentials are sent to over plain HTTP.", Self.server)
        case .networkOnline: .gauge("network.online", "1 while there is a network, since it last changed.")
        case .networkTransitions:
            .counter("network.transitions", "Changes of the network that lasted, by kind.", ["kind"])
        case .networkQuality:
            .gauge(
                "network.quality",
                "1 for the quality of the network: of the way to the origin, or of all without one.",
                Self.server + ["quality"])
        case .networkObstacle:
            .gauge(
                "network.obstacle",
                "1 for what keeps calls from their servers although the links are up.", ["obstacle"])
        case .queueEntries:
            .gauge(
                "queue.entries",
                "Entries of the offline queue: those to be sent, and those that need a person's help.",
                ["kind"])
        case .queueStored: .counter("queue.stored", "Requests that the queue has stored.")
        case .queueAttempts:
            .counter("queue.attempts", "Attempts of queued entries by their result.", ["result"])
        case .queueAge: .histogram("queue.age", "Time from storing an entry until the server took it.")
        case .queueMoves:
            .counter(
                "queue.moves",
                "How often entries of the queue changed their state without an attempt, by the new state.",
                ["state"])
        case .queueRefusals:
            .counter("queue.refusals", "Requests that the queue did not store because of its limits.")
        case .queueHeld: .gauge("queue.held", "1 while the queue sends nothing.")
        case .queueStoreFailures:
            .counter(
                "queue.store_failures",
                "Failures of the store of the queue, by the code of the error.", ["error"])
        case .networkAdaptation:
            .gauge(
                "network.adaptation",
                "1 for the quality to which the limits of calls to the origin are adapted.",
                Self.server + ["quality"])
        case .stateEvents: .counter("state.events", "Events that belong to no call, by kind.", ["kind"])
        }
    }

    private static let server = ["server.address", "server.port"]
    private static let operation = server + ["http.request.method", "gateway.operation"]
}

/// A value for an instrument, with the values of its labels.
enum Measurement: Sendable {
    /// Adds 1 to a counter.
    case count(Instrument, [String])
    /// Sets a gauge.
    case set(Instrument, [String], to: Double)
    /// Adds a duration to a histogram.
    case duration(Instrument, [String], Duration)

    /// The instrument.
    var instrument: Instrument {
        switch self {
        case .count(let instrument, _), .set(let instrument, _, _), .duration(let instrument, _, _):
            instrument
        }
    }
}
