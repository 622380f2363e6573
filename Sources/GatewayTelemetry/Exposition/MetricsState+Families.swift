import GatewayCore

extension MetricsState {
    /// Everything as it is exported.
    func families(
        _ connections: TransportStatistics, now: ContinuousClock.Instant
    ) -> [MetricFamily] {
        Instrument.allCases.map { instrument in
            var family = MetricFamily(instrument)
            add(to: &family, connections, now)
            return family
        }.filter { !$0.points.isEmpty }
    }

    private func add(
        to family: inout MetricFamily, _ connections: TransportStatistics, _ now: ContinuousClock.Instant
    ) {
        switch family.instrument {
        case .requestDuration: family.add(requests) { $0.requestLabels }
        case .callDuration: family.add(calls) { $0.callLabels }
        case .timeInQueue: family.add(queueTimes) { $0.labels }
        case .activeRequests:
            for entry in attempts.entries {
                family.add(entry.key.labels, .number(Double(entry.value.active)))
            }
            family.addOverflow(attempts.overflow.map { .number(Double($0.active)) })
        case .attempts:
            for entry in attempts.entries {
                for (reason, count) in entry.value.sent {
                    family.add(entry.key.labels + [("reason", reason.rawValue)], .number(Double(count)))
                }
            }
            for (reason, count) in attempts.overflow?.sent ?? [] {
                family.add(
                    [("otel.metric.overflow", "true"), ("reason", reason.rawValue)], .number(Double(count)))
            }
        case .startedCalls: family.add([], .number(Double(total(\.started))))
        case .activeCalls: family.add([], .number(Double(total(\.inProgress))))
        case .openConnections:
            for (origin, counts) in connections.ordered {
                let active = min(counts.active, counts.connections)
                for (state, count) in [("active", active), ("idle", counts.connections - active)] {
                    family.add(
                        origin.metricLabelPairs + [("http.connection.state", state)], .number(Double(count)))
                }
            }
        case .waitingRequests:
            for (origin, counts) in connections.ordered {
                family.add(origin.metricLabelPairs, .number(Double(counts.waiting)))
            }
        case .tokenExpiry:
            if let time = tokens.timeToExpiry(now: now) { family.add([], .number(time / .seconds(1))) }
        case .bodyFailures, .coalesced, .retryDelay, .refusedRetries, .redirects, .rejectedCredentials,
            .replays, .tokenWait,
            .tokenRefreshes, .tokenRefreshDuration, .tokenEvents, .circuitState, .circuitTransitions,
            .refreshSuspended, .retryBudgetExhausted, .timeoutRateExceeded, .plainHTTPOrigins, .stateEvents,
            .heldCalls, .rateGateWait, .rateGateClosed, .ignoredRateLimitFields, .admissionWait,
            .bulkheadOverloaded, .concurrencyLimit, .hedges, .hedgeDecisions, .hedgeBudgetExhaustions,
            .cacheLookups, .storedResponses, .cacheEvictions, .cacheStoreFailures, .fallbacks,
            .networkOnline, .networkTransitions, .networkQuality, .networkObstacle, .networkAdaptation,
            .queueEntries, .queueStored, .queueAttempts, .queueAge, .queueMoves, .queueRefusals, .queueHeld,
            .queueStoreFailures:
            addMeasurements(to: &family)
        }
    }

    private func addMeasurements(to family: inout MetricFamily) {
        let names = family.instrument.descriptor.labels
        if let table = numbers[family.instrument] {
            for entry in table.entries { family.add(Array(zip(names, entry.key)), .number(entry.value)) }
            // The last value of any of many gauges means nothing.
            if family.instrument.descriptor.form == .counter {
                family.addOverflow(table.overflow.map { .number($0) })
            }
        }
        if let table = histograms[family.instrument] { family.add(table) { Array(zip(names, $0)) } }
    }

    private func total(_ value: KeyPath<RequestMetrics, Int>) -> Int {
        operations.entries.reduce(operations.overflow?.count(value) ?? 0) {
            $0.addingClamped($1.value.count(value))
        }
    }
}

extension MetricFamily {
    fileprivate mutating func add<Key>(
        _ table: SeriesTable<Key, HistogramSeries>, _ labels: (Key) -> [(String, String)]
    ) {
        for entry in table.entries { add(labels(entry.key), .histogram(entry.value)) }
        addOverflow(table.overflow.map { .histogram($0) })
    }
}

extension TransportStatistics {
    fileprivate var ordered: [(Origin, Counts)] {
        origins.map { ($0, $1) }.sorted { $0.0.description < $1.0.description }
    }
}

extension Origin {
    fileprivate var metricLabelPairs: [(String, String)] {
        [("server.address", host), ("server.port", "\(port)")]
    }
}

extension ActiveKey {
    fileprivate var labels: [(String, String)] {
        [("http.request.method", method.rawValue)] + origin.metricLabelPairs
    }
}

extension CallSeriesKey {
    /// The attributes of `http.client.request.duration`, with ours for the operation.
    fileprivate var requestLabels: [(String, String)] {
        let (status, error): (String, String) =
            switch outcome {
            case .status(let status): ("\(status)", status >= 400 ? "\(status)" : "")
            case .error(let name, let status): (status.map { "\($0)" } ?? "", name)
            case .cancelled: ("", "")
            }
        return [
            ("http.request.method", method.rawValue), ("server.address", origin.host),
            ("server.port", "\(origin.port)"), ("http.response.status_code", status), ("error.type", error),
            ("gateway.operation", operation?.id ?? ""),
        ]
    }

    /// The same with the result of the call.
    fileprivate var callLabels: [(String, String)] {
        let result =
            switch outcome {
            case .status(let status): status < 400 ? "succeeded" : "failed"
            case .error: "failed"
            case .cancelled: "cancelled"
            }
        return requestLabels + [("result", result)]
    }
}
