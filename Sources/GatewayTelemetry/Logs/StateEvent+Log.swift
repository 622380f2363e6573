import GatewayCore

extension StateEvent {
    /// The level of the event's line.
    var logLevel: JSONLogSink.Level {
        switch kind {
        case .queue(let event): event.logLevel
        case .sentOverPlainHTTP, .refreshSuspended, .retryBudgetExhausted, .timeoutRateExceeded,
            .circuitOpened, .circuitIsolated, .rateGateClosed, .rateLimitFieldIgnored, .bulkheadOverloaded,
            .cacheStoreFailed, .networkChanged(.offline), .networkUnobservable,
            .networkObstacleChanged(.some):
            .warning
        case .refreshResumed, .retryBudgetRecovered, .timeoutRateRecovered, .circuitHalfOpened,
            .circuitClosed, .rateGateOpened, .bulkheadRecovered, .concurrencyLimitChanged,
            .hedgeBudgetExhausted, .cacheEvicted, .networkChanged, .networkQualityChanged,
            .networkObstacleChanged(nil), .networkAdaptationChanged:
            .info
        }
    }

    /// The event's line.
    var logEntry: LogEntry {
        var fields: [(JSONLogSink.Field, LogEntry.Value?)] = [(.origin, origin.map { .text($0.description) })]
        switch kind {
        case .refreshSuspended(let time): fields.append((.suspension, time.logMilliseconds))
        case .timeoutRateExceeded(let operation, let rate, let calls):
            fields += [
                (.operation, operation.map { .text($0.id) }), (.rate, .number(rate)),
                (.count, .integer(calls)),
            ]
        case .timeoutRateRecovered(let operation):
            fields.append((.operation, operation.map { .text($0.id) }))
        case .circuitOpened(let name, let time):
            fields += [(.circuit, .text(name)), (.suspension, time.logMilliseconds)]
        case .circuitHalfOpened(let name), .circuitClosed(let name), .circuitIsolated(let name):
            fields.append((.circuit, .text(name)))
        case .rateGateClosed(let name, let time, let reason):
            fields += [
                (.limitName, .text(name)), (.suspension, time.logMilliseconds),
                (.status, .integer(reason.status)), (.reason, .text(reason.name)),
            ]
        case .rateGateOpened(let name): fields.append((.limitName, .text(name)))
        case .rateLimitFieldIgnored(let name): fields.append((.field, .text(name)))
        case .bulkheadOverloaded(let limit, let waiting):
            fields += [(.limit, .integer(limit)), (.count, .integer(waiting))]
        case .concurrencyLimitChanged(_, let limit): fields.append((.limit, .integer(limit)))
        case .cacheEvicted(let count): fields.append((.count, .integer(count)))
        case .cacheStoreFailed(let code): fields.append((.error, .text(code)))
        case .networkChanged(let change): fields.append((.network, .text(change.rawValue)))
        case .networkUnobservable(let reason): fields.append((.reason, .text(reason)))
        case .networkQualityChanged(_, let quality), .networkAdaptationChanged(let quality):
            fields.append((.network, .text(quality.name)))
        case .networkObstacleChanged(let obstacle):
            fields.append((.network, .text(obstacle?.rawValue ?? "none")))
        case .queue(let event): fields += event.logFields
        case .sentOverPlainHTTP, .refreshResumed, .retryBudgetExhausted, .retryBudgetRecovered,
            .bulkheadRecovered, .hedgeBudgetExhausted:
            break
        }
        return LogEntry(logLevel, kind.name, fields)
    }
}

extension RateLimitReason {
    fileprivate var status: Int {
        switch self {
        case .rejected(let status), .exhausted(let status): status
        }
    }

    fileprivate var name: String {
        switch self {
        case .rejected: "rejected"
        case .exhausted: "exhausted"
        }
    }
}
