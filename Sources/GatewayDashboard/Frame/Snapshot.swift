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
        return Snapshot(
            number: number, now: now, shared: copy(), metrics: metrics.windowed(),
            healths: live.isEmpty ? healths : live,
            open: open.oldest(Snapshot.openLimit), untracked: open.untrackedCount,
            unixStart: unixStart)
    }
}

extension Snapshot {
    /// The tokens of all engines, one value for each label.
    var tokens: [TokenHealth] { TokenHealth.merged(healths.flatMap(\.tokens)) }

    /// The state of each circuit breaker, those that are not closed first.
    var breakers: [(name: String, state: CircuitBreaker.State)] {
        var states: [String: CircuitBreaker.State] = [:]
        for health in healths {
            for (key, state) in health.circuitBreakers {
                let name = key.description
                // Engines may have breakers of the same name; the one that is not closed is shown.
                if states[name] == nil || states[name] == .closed { states[name] = state }
            }
        }
        return states.map { (name: $0.key, state: $0.value) }.sorted {
            ($0.state == .closed ? 1 : 0, $0.name) < ($1.state == .closed ? 1 : 0, $1.name)
        }
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
