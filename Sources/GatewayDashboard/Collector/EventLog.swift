import GatewayCore

/// The latest changes of tokens, circuit breakers, limits, the cache, the queue and the network.
struct EventLog: Sendable {
    static let limit = 40

    struct Line: Sendable {
        let time: UInt64
        let severity: Severity
        let text: String
        let subject: Subject?
    }

    private(set) var lines: [Line] = []

    mutating func add(_ line: Line) {
        if lines.count >= Self.limit { lines.removeFirst() }
        lines.append(line)
    }
}

extension EventLog.Line {
    /// The line of a state event; `nil` if it has none.
    init?(_ event: borrowing StateEvent, at time: UInt64) {
        guard let (severity, text, subject) = event.logLine else { return nil }
        self.init(time: time, severity: severity, text: text, subject: subject)
    }

    /// The line of an event of a token; `nil` if it has none.
    init?(_ event: TokenLanes.Event, of lane: TokenLanes.LaneKey) {
        guard let (severity, text) = event.logLine(lane.label) else { return nil }
        self.init(time: event.time, severity: severity, text: text, subject: Subject(.token, lane.label))
    }
}

extension TokenLanes.Event {
    fileprivate func logLine(_ label: String) -> (Severity, String)? {
        switch name {
        case "refreshed":
            reason == .rejected
                ? (
                    .info,
                    "A token of \(label) was renewed after a server had rejected it: generation \(generation)."
                )
                : nil
        case "rejected":
            (.warning, "A server rejected a token of \(label) before it expired: generation \(generation).")
        case "refresh_failed":
            (
                isPermanent == true ? .critical : .warning,
                "A refresh of \(label) failed: \(cause?.code.name ?? "unknown")."
            )
        case "store_failed":
            (.warning, "A token of \(label) could not be stored: \(cause?.code.name ?? "unknown").")
        case "store_recovered": (.info, "The tokens of \(label) are stored again.")
        case "revocation_failed": (.warning, "A token of \(label) could not be revoked.")
        case "scopes_narrowed": (.warning, "The server granted fewer scopes than requested for \(label).")
        case "not_shared": (.warning, "Several coordinators request tokens of \(label): share one client.")
        case "signed_in": (.info, "\(label): signed in.")
        case "signed_out": (.info, "\(label): signed out.")
        default: nil
        }
    }
}

extension StateEvent {
    // The switch has no default: a new kind of event does not compile until its line is defined.
    fileprivate var logLine: (Severity, String, Subject?)? {
        let place = origin.map { "\($0)" } ?? "all origins"
        let at = Subject(.origin, place)
        switch kind {
        case .sentOverPlainHTTP: return (.info, "Credentials are sent to \(place) over plain HTTP.", at)
        case .refreshSuspended(let time):
            return (
                .critical,
                "\(place) rejects fresh tokens: refreshing is suspended for \(Figures.duration(time)).", at
            )
        case .refreshResumed: return (.info, "\(place) accepts tokens again.", at)
        case .retryBudgetExhausted:
            return (.warning, "The retry budget of \(place) is exhausted.", Subject(.budget, place))
        case .retryBudgetRecovered:
            return (.info, "The retry budget of \(place) is full again.", Subject(.budget, place))
        case .hedgeBudgetExhausted: return (.info, "The hedging budget of \(place) is exhausted.", at)
        case .timeoutRateExceeded(let operation, let rate, _):
            let name = operation?.id ?? "calls without an operation"
            return (
                .warning, "\(Int((rate * 100).rounded())) % of \(name) time out.",
                operation.map { Subject(.operation, $0.id) }
            )
        case .timeoutRateRecovered(let operation):
            return (
                .info, "Timeouts of \(operation?.id ?? "calls without an operation") are rare again.",
                operation.map { Subject(.operation, $0.id) }
            )
        case .circuitOpened(let name, let time):
            return (
                .critical, "The circuit of \(name) opened for \(Figures.duration(time)).",
                Subject(.breaker, name)
            )
        case .circuitHalfOpened(let name):
            return (
                .info, "The circuit of \(name) is half open: a few calls pass as probes.",
                Subject(.breaker, name)
            )
        case .circuitClosed(let name):
            return (.info, "The circuit of \(name) closed.", Subject(.breaker, name))
        case .circuitIsolated(let name):
            return (.warning, "The circuit of \(name) was isolated.", Subject(.breaker, name))
        case .rateGateClosed(_, let time, _):
            return (
                .warning, "\(place) limits the rate of calls: they wait for \(Figures.duration(time)).",
                Subject(.rateGate, place)
            )
        case .rateGateOpened: return (.info, "\(place) accepts calls again.", Subject(.rateGate, place))
        case .rateLimitFieldIgnored(let field):
            return (.info, "\(place) sends a value of \(field) that makes no sense.", at)
        case .bulkheadOverloaded(let limit, let waiting):
            return (
                .warning,
                "The bulkhead of \(place) turns calls away: \(limit) in progress, \(waiting) waiting.",
                Subject(.bulkhead, place)
            )
        case .bulkheadRecovered:
            return (.info, "The bulkhead of \(place) has room again.", Subject(.bulkhead, place))
        case .concurrencyLimitChanged(let from, let to):
            return (
                .info, "The limit of calls to \(place) changed from \(from) to \(to).",
                Subject(.bulkhead, place)
            )
        case .cacheEvicted: return nil
        case .cacheStoreFailed(let code):
            return (.warning, "The store of the cache failed: \(code).", Subject(.cache))
        case .networkChanged(let change):
            return (
                change == .offline ? .critical : .info, "The network is \(change.rawValue).",
                Subject(.network)
            )
        case .networkUnobservable: return (.info, "The network cannot be observed.", Subject(.network))
        case .networkQualityChanged(_, let quality):
            return (
                quality <= .poor ? .warning : .info, "The quality of the network is \(quality.name).",
                Subject(.network)
            )
        case .networkObstacleChanged(let obstacle):
            return obstacle.map {
                (.critical, "The network has an obstacle: \($0.rawValue).", Subject(.network))
            }
                ?? (.info, "The obstacle of the network is gone.", Subject(.network))
        case .networkAdaptationChanged(let quality):
            return (.info, "Calls to \(place) use the limits for a network of \(quality.name) quality.", at)
        case .queue(let event): return event.logLine
        }
    }
}

extension QueueEvent {
    fileprivate var logLine: (Severity, String, Subject?)? {
        let queue = Subject(.queue, "queue")
        return switch self {
        case .refused: (.warning, "The queue refused a request: its limits do not allow it.", queue)
        case .held(let reason?): (.warning, "The queue sends nothing: \(reason).", queue)
        case .held(nil): (.info, "The queue sends again.", queue)
        case .storeFailed(let code): (.critical, "The store of the queue failed: \(code).", queue)
        case .recovered(let count):
            (.warning, "The file of the queue was damaged; \(count) entries were recovered.", queue)
        case .stored, .attempted, .moved, .reclaimed, .depth: nil
        }
    }
}
