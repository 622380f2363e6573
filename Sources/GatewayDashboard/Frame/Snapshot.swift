import GatewayCore
import GatewayResilience
import GatewayTelemetry

/// What a frame shows, read at one instant.
struct Snapshot: Sendable {
    /// The number of the frame, from 1.
    let number: UInt64
    /// Nanoseconds from the start of the collector.
    let now: UInt64
    let shared: DashboardCollector.Shared
    let metrics: WindowedMetrics
    /// The states of the engines that are not shut down; those of all if all of them are.
    let healths: [EngineHealth]
    /// The calls in progress that began first.
    let open: [CallRecord]
    /// The number of calls that are not tracked because there are too many.
    let untracked: Int
    /// When the collector was made, by the clock of the machine.
    var unixStart = Duration.zero

    static let openLimit = 10
}

extension DashboardCollector {
    /// Reads everything.
    ///
    /// - Parameter number: the number of the frame.
    func snapshot(_ number: UInt64) async -> Snapshot {
        let healths = await healths()
        let live = healths.filter { !$0.isEnding }
        let shared = copy()
        let metrics = metrics.windowed()
        let open = (oldest: open.oldest(Snapshot.openLimit), untracked: open.untrackedCount)
        // Read last: nothing in the snapshot is later.
        return Snapshot(
            number: number, now: now, shared: shared, metrics: metrics,
            healths: live.isEmpty ? healths : live, open: open.oldest, untracked: open.untracked,
            unixStart: unixStart)
    }
}

extension Snapshot {
    /// The tokens of all engines, one value for each label.
    var tokens: [TokenHealth] { TokenHealth.merged(healths.flatMap(\.tokens)) }

    /// Nanoseconds since a time.
    func age(of time: UInt64) -> UInt64 { now - min(now, time) }

    /// The state of each circuit breaker, those that are not closed first.
    var breakers: [(key: CircuitBreakerRegistry.Key, name: String, state: CircuitBreaker.State)] {
        var states: [CircuitBreakerRegistry.Key: CircuitBreaker.State] = [:]
        for health in healths {
            // Engines may have breakers of the same key; the one that is not closed is shown.
            states.merge(health.circuitBreakers) { $0 == .closed ? $1 : $0 }
        }
        return states.map { (key: $0.key, name: $0.key.description, state: $0.value) }.sorted {
            ($0.state == .closed ? 1 : 0, $0.name) < ($1.state == .closed ? 1 : 0, $1.name)
        }
    }

    /// Whether failures count in a circuit breaker with the default verdicts. Which calls name a breaker is not known.
    func counts(_ failures: FailureTally.Key, in breaker: CircuitBreakerRegistry.Key) -> Bool {
        let reason = failures.reason
        let outcome: AdmissionOutcome
        switch reason.failure {
        case .status(let status): outcome = .response(status: status)
        case .error(let code): outcome = .failed(NetworkError(code, "", phase: failures.phase))
        }
        guard CircuitBreakerPolicy.verdict(of: outcome) == .failure else { return false }
        // The host's breaker counts failures to connect, and an operation's breaker the others of its calls.
        let breakers = failures.operation.map { operation in
            (hasBreaker(.host(reason.origin)), hasBreaker(.operation(reason.origin, operation.id)))
        }
        let countsForHost = breakers.map { host, own in host && failures.isConnecting || !own } ?? true
        return switch breaker {
        case .host(let origin): origin == reason.origin && countsForHost
        case .operation(let origin, let id):
            origin == reason.origin && id == failures.operation?.id && !countsForHost
        case .named: false
        }
    }

    private func hasBreaker(_ key: CircuitBreakerRegistry.Key) -> Bool {
        healths.contains { $0.circuitBreakers[key] != nil }
    }

    /// The connections of all engines by origin, those with the most requests first.
    var origins: [(origin: String, counts: TransportStatistics.Counts)] {
        var counts: [Origin: TransportStatistics.Counts] = [:]
        for health in healths {
            for (origin, each) in health.connections.origins {
                counts[origin, default: .init()].connections += each.connections
                counts[origin, default: .init()].active += each.active
                counts[origin, default: .init()].waiting += each.waiting
            }
        }
        return counts.map { (origin: "\($0.key)", counts: $0.value) }.sorted {
            ($1.counts.waiting, $1.counts.active, $0.origin) < (
                $0.counts.waiting, $0.counts.active, $1.origin
            )
        }
    }
}
