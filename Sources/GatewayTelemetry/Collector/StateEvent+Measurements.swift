import GatewayCore

// The switches here and in RequestMetricsCollector+Calls.swift and RequestMetricsCollector+Tokens.swift have no default: a new
// kind of event does not compile until it has an instrument.

extension StateEvent {
    /// What the event means for the instruments.
    var measurements: [Measurement] {
        let server = (origin?.metricLabels ?? ["", ""])
        let specific: [Measurement] =
            switch kind {
            case .sentOverPlainHTTP: [.count(.plainHTTPOrigins, server)]
            case .refreshSuspended: [.set(.refreshSuspended, server, to: 1)]
            case .refreshResumed: [.set(.refreshSuspended, server, to: 0)]
            case .retryBudgetExhausted: [.set(.retryBudgetExhausted, server, to: 1)]
            case .retryBudgetRecovered: [.set(.retryBudgetExhausted, server, to: 0)]
            case .timeoutRateExceeded(let operation, _, _):
                [.set(.timeoutRateExceeded, server + [operation?.id ?? ""], to: 1)]
            case .timeoutRateRecovered(let operation):
                [.set(.timeoutRateExceeded, server + [operation?.id ?? ""], to: 0)]
            case .circuitOpened(let name, _): Self.circuit(name, is: "open")
            case .circuitHalfOpened(let name): Self.circuit(name, is: "half_open")
            case .circuitClosed(let name): Self.circuit(name, is: "closed")
            case .circuitIsolated(let name): Self.circuit(name, is: "isolated")
            case .hedgeBudgetExhausted: [.count(.hedgeBudgetExhaustions, server)]
            case .rateGateClosed(let name, _, _): [.set(.rateGateClosed, server + [name], to: 1)]
            case .rateGateOpened(let name): [.set(.rateGateClosed, server + [name], to: 0)]
            case .rateLimitFieldIgnored: [.count(.ignoredRateLimitFields, server)]
            case .bulkheadOverloaded(let limit, _):
                [
                    .set(.bulkheadOverloaded, server, to: 1),
                    .set(.concurrencyLimit, server, to: Double(limit)),
                ]
            case .bulkheadRecovered: [.set(.bulkheadOverloaded, server, to: 0)]
            case .concurrencyLimitChanged(_, let limit):
                [.set(.concurrencyLimit, server, to: Double(limit))]
            case .cacheEvicted: [.count(.cacheEvictions, server)]
            case .cacheStoreFailed(let code): [.count(.cacheStoreFailures, server + [code])]
            case .networkChanged(let change):
                [
                    .set(.networkOnline, [], to: change == .offline ? 0 : 1),
                    .count(.networkTransitions, [change.rawValue]),
                ]
            case .networkUnobservable: [.set(.networkOnline, [], to: 1)]
            case .networkQualityChanged(_, let quality):
                NetworkCondition.Quality.allCases.map { each in
                    .set(.networkQuality, server + [each.name], to: each == quality ? 1 : 0)
                }
            case .networkObstacleChanged(let obstacle):
                NetworkObstacle.allCases.map { each in
                    .set(.networkObstacle, [each.rawValue], to: each == obstacle ? 1 : 0)
                }
            case .networkAdaptationChanged(let quality):
                NetworkCondition.Quality.allCases.map { each in
                    .set(.networkAdaptation, server + [each.name], to: each == quality ? 1 : 0)
                }
            case .queue(let event): event.measurements
            }
        return specific + [.count(.stateEvents, [kind.name])]
    }

    private static func circuit(_ name: String, is current: String) -> [Measurement] {
        ["closed", "open", "half_open", "isolated"].map { state in
            .set(.circuitState, [name, state], to: state == current ? 1 : 0)
        } + [.count(.circuitTransitions, [name, current])]
    }
}

extension StateEvent.Kind {
    /// The kind as metrics and logs name it.
    var name: String {
        switch self {
        case .sentOverPlainHTTP: "sent_over_plain_http"
        case .refreshSuspended: "refresh_suspended"
        case .refreshResumed: "refresh_resumed"
        case .retryBudgetExhausted: "retry_budget_exhausted"
        case .retryBudgetRecovered: "retry_budget_recovered"
        case .timeoutRateExceeded: "timeout_rate_exceeded"
        case .timeoutRateRecovered: "timeout_rate_recovered"
        case .circuitOpened: "circuit_opened"
        case .circuitHalfOpened: "circuit_half_opened"
        case .circuitClosed: "circuit_closed"
        case .circuitIsolated: "circuit_isolated"
        case .hedgeBudgetExhausted: "hedge_budget_exhausted"
        case .rateGateClosed: "rate_gate_closed"
        case .rateGateOpened: "rate_gate_opened"
        case .rateLimitFieldIgnored: "rate_limit_field_ignored"
        case .bulkheadOverloaded: "bulkhead_overloaded"
        case .bulkheadRecovered: "bulkhead_recovered"
        case .concurrencyLimitChanged: "concurrency_limit_changed"
        case .cacheEvicted: "cache_evicted"
        case .cacheStoreFailed: "cache_store_failed"
        case .networkChanged: "network_changed"
        case .networkUnobservable: "network_unobservable"
        case .networkQualityChanged: "network_quality_changed"
        case .networkObstacleChanged: "network_obstacle_changed"
        case .networkAdaptationChanged: "network_adaptation_changed"
        case .queue(let event): event.name
        }
    }
}

extension Origin {
    /// The values of `server.address` and `server.port`.
    var metricLabels: [String] { [host, "\(port)"] }
}
