/// An instrument of the collector. Names are those of OpenTelemetry where it has one.
enum Instrument: CaseIterable, Hashable, Sendable {
    case requestDuration, activeRequests, openConnections, timeInQueue
    case callDuration, activeCalls, startedCalls, coalesced, attempts
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
    }

    /// The name, form, help text and label names.
    var descriptor: Descriptor {
        switch self {
        case .requestDuration:
            Descriptor(
                "http.client.request.duration", .histogram,
                "Duration of HTTP requests, one for each attempt that was sent.", [])
        case .activeRequests:
            Descriptor("http.client.active_requests", .gauge, "Attempts in progress.", [])
        case .openConnections:
            Descriptor(
                "http.client.open_connections", .gauge, "Open connections by state.",
                Self.server + ["http.connection.state"])
        case .timeInQueue:
            Descriptor(
                "http.client.request.time_in_queue", .histogram,
                "Time that requests waited for a connection.", [])
        case .callDuration:
            Descriptor(
                "gateway.client.call.duration", .histogram,
                "Duration of calls, with their waits, retries and redirects.", [])
        case .activeCalls: Descriptor("gateway.client.active_calls", .gauge, "Calls in progress.", [])
        case .startedCalls: Descriptor("gateway.client.started_calls", .counter, "Calls that began.", [])
        case .coalesced:
            Descriptor(
                "gateway.client.coalesced_calls", .counter,
                "Calls that waited for the response of an equal call.", Self.operation)
        case .attempts:
            Descriptor("gateway.client.attempts", .counter, "Attempts by the reason why they were made.", [])
        case .retryDelay:
            Descriptor(
                "gateway.client.retry.delay", .histogram, "Delays before retries, by what caused the retry.",
                Self.server + ["cause"])
        case .refusedRetries:
            Descriptor(
                "gateway.client.refused_retries", .counter,
                "Failed attempts that no retry followed, by the reason.", Self.server + ["reason"])
        case .redirects:
            Descriptor("gateway.client.redirects", .counter, "Redirects that were followed.", Self.server)
        case .rejectedCredentials:
            Descriptor(
                "gateway.client.rejected_credentials", .counter,
                "Calls whose credential was rejected by the server.", Self.server)
        case .replays:
            Descriptor(
                "gateway.client.replays", .counter, "Calls that were sent again with another credential.",
                Self.server)
        case .tokenWait:
            Descriptor(
                "gateway.client.token.wait", .histogram, "Time that calls waited for their credential.",
                Self.server)
        case .tokenRefreshes:
            Descriptor(
                "gateway.client.token.refreshes", .counter, "Token refreshes by reason and outcome.",
                ["reason", "outcome"])
        case .tokenRefreshDuration:
            Descriptor(
                "gateway.client.token.refresh.duration", .histogram, "Duration of token refreshes.",
                ["reason", "outcome"])
        case .tokenExpiry:
            Descriptor(
                "gateway.client.token.time_to_expiry", .gauge,
                "Time until the first of the current tokens expires; negative after that.", [],
                isInSeconds: true)
        case .tokenEvents:
            Descriptor("gateway.client.token.events", .counter, "Events of tokens by kind.", ["kind"])
        case .waitingRequests:
            Descriptor(
                "gateway.client.waiting_requests", .gauge, "Requests that wait for a connection.", Self.server
            )
        case .circuitState:
            Descriptor(
                "gateway.client.circuit.state", .gauge, "1 for the current state of each circuit breaker.",
                ["name", "state"])
        case .circuitTransitions:
            Descriptor(
                "gateway.client.circuit.transitions", .counter,
                "Changes of circuit breakers by their new state.", ["name", "state"])
        case .heldCalls:
            Descriptor(
                "gateway.client.rate_gate.held_calls", .counter,
                "Calls that a rate limit of the server held back.", Self.server)
        case .rateGateWait:
            Descriptor(
                "gateway.client.rate_gate.wait", .histogram,
                "Time that calls waited for their turn in a rate gate.", Self.server)
        case .rateGateClosed:
            Descriptor(
                "gateway.client.rate_gate.closed", .gauge, "1 while the rate limit holds calls back.",
                Self.server + ["name"])
        case .ignoredRateLimitFields:
            Descriptor(
                "gateway.client.rate_gate.ignored_fields", .counter,
                "Fields about rate limits whose values make no sense.", Self.server)
        case .admissionWait:
            Descriptor(
                "gateway.client.admission.wait", .histogram,
                "Time that attempts waited for their admission, as in a bulkhead.", Self.server)
        case .bulkheadOverloaded:
            Descriptor(
                "gateway.client.bulkhead.overloaded", .gauge,
                "1 while the bulkhead turns calls to the origin away.", Self.server)
        case .concurrencyLimit:
            Descriptor(
                "gateway.client.bulkhead.limit", .gauge,
                "The limit of calls in progress when it was last reported.", Self.server)
        case .hedges:
            Descriptor("gateway.client.hedges", .counter, "Second attempts for slow reads.", Self.server)
        case .hedgeDecisions:
            Descriptor(
                "gateway.client.hedge.decisions", .counter, "Hedged calls by the attempt that won.",
                Self.server + ["winner"])
        case .hedgeBudgetExhaustions:
            Descriptor(
                "gateway.client.hedge.budget_exhaustions", .counter,
                "How often the budget of hedges of an origin was exhausted.", Self.server)
        case .cacheLookups:
            Descriptor(
                "gateway.client.cache.lookups", .counter,
                "Results of the cache. A request that is sent counts as miss, and again if a stored response is used after all.",
                Self.server + ["result"])
        case .storedResponses:
            Descriptor(
                "gateway.client.cache.stored_responses", .counter, "Responses that the cache has stored.",
                Self.server)
        case .cacheEvictions:
            Descriptor(
                "gateway.client.cache.evictions", .counter,
                "How often stored responses were removed to make room for another one.", Self.server)
        case .cacheStoreFailures:
            Descriptor(
                "gateway.client.cache.store_failures", .counter,
                "Failures of the store of the cache, by the code of the error.", Self.server + ["error"])
        case .fallbacks:
            Descriptor(
                "gateway.client.fallbacks", .counter,
                "Calls that a fallback answered, by its name and the code of the error that it replaced.",
                Self.server + ["step", "error"])
        case .refreshSuspended:
            Descriptor(
                "gateway.client.token.refresh.suspended", .gauge,
                "1 while refreshes for the origin are suspended.", Self.server)
        case .retryBudgetExhausted:
            Descriptor(
                "gateway.client.retry_budget.exhausted", .gauge,
                "1 while the retry budget of the origin is exhausted.", Self.server)
        case .timeoutRateExceeded:
            Descriptor(
                "gateway.client.timeout_rate.exceeded", .gauge,
                "1 while many calls of the operation time out.", Self.server + ["gateway.operation"])
        case .plainHTTPOrigins:
            Descriptor(
                "gateway.client.plain_http", .counter,
                "Origins that credentials are sent to over plain HTTP.", Self.server)
        case .networkOnline:
            Descriptor(
                "gateway.client.network.online", .gauge, "1 while there is a network, since it last changed.",
                [])
        case .networkTransitions:
            Descriptor(
                "gateway.client.network.transitions", .counter,
                "Changes of the network that lasted, by kind.",
                ["kind"])
        case .networkQuality:
            Descriptor(
                "gateway.client.network.quality", .gauge,
                "1 for the quality of the network: of the way to the origin, or of all without one.",
                Self.server + ["quality"])
        case .networkObstacle:
            Descriptor(
                "gateway.client.network.obstacle", .gauge,
                "1 for what keeps calls from their servers although the links are up.", ["obstacle"])
        case .queueEntries:
            Descriptor(
                "gateway.client.queue.entries", .gauge,
                "Entries of the offline queue: those to be sent, and those that need a person's help.",
                ["kind"])
        case .queueStored:
            Descriptor(
                "gateway.client.queue.stored", .counter, "Requests that the queue has stored.", [])
        case .queueAttempts:
            Descriptor(
                "gateway.client.queue.attempts", .counter, "Attempts of queued entries by their result.",
                ["result"])
        case .queueAge:
            Descriptor(
                "gateway.client.queue.age", .histogram,
                "Time from storing an entry until the server took it.", [])
        case .queueMoves:
            Descriptor(
                "gateway.client.queue.moves", .counter,
                "How often entries of the queue changed their state without an attempt, by the new state.",
                ["state"])
        case .queueRefusals:
            Descriptor(
                "gateway.client.queue.refusals", .counter,
                "Requests that the queue did not store because of its limits.", [])
        case .queueHeld:
            Descriptor("gateway.client.queue.held", .gauge, "1 while the queue sends nothing.", [])
        case .queueStoreFailures:
            Descriptor(
                "gateway.client.queue.store_failures", .counter,
                "Failures of the store of the queue, by the code of the error.", ["error"])
        case .networkAdaptation:
            Descriptor(
                "gateway.client.network.adaptation", .gauge,
                "1 for the quality to which the limits of calls to the origin are adapted.",
                Self.server + ["quality"])
        case .stateEvents:
            Descriptor(
                "gateway.client.state.events", .counter, "Events that belong to no call, by kind.", ["kind"])
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
