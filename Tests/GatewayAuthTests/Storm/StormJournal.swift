import Foundation
import GatewayCore
import GatewayTesting

/// Collects the steps of processes, server and driver, and counts them.
final class StormJournal: Sendable {
    struct Figures: Sendable {
        var calls = 0
        var refreshes = 0
        var kills = 0
        var logins = 0
    }

    private struct State {
        var entries: [StormEntry] = []
        var figures = Figures()
        var lastSend: (time: UInt64, who: String) = (0, "")
    }

    private let state = Locked(State())
    /// One instant on both clocks.
    private let origin: (ContinuousClock.Instant, UInt64)

    init() { origin = (ContinuousClock.now, Self.now) }

    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    func note(_ who: String, _ what: StormEntry.Step) { add(StormEntry(Self.now, who, what)) }

    func add(_ entry: StormEntry) {
        state.withLock { state in
            state.entries.append(entry)
            switch entry.what {
            case .ended: state.figures.calls += 1
            case .use(.granted, _, _): state.figures.refreshes += 1
            case .kill: state.figures.kills += 1
            case .loggedIn: state.figures.logins += 1
            case .send: state.lastSend = (entry.time, entry.who)
            default: break
            }
        }
    }

    func add(_ uses: [EmbeddedGateway.RefreshTokenUse]) {
        for use in uses {
            let (seconds, attoseconds) = origin.0.duration(to: use.time).components
            let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
            add(StormEntry(use, time: UInt64(Int64(origin.1) + nanoseconds)))
        }
    }

    var entries: [StormEntry] { state.withLock { $0.entries } }
    var lastSend: (time: UInt64, who: String) { state.withLock { $0.lastSend } }
    var figures: Figures { state.withLock { $0.figures } }

    /// Forgets what is older and explains nothing any more: all but calls that have not ended, ends of processes, and
    /// reuses.
    func forget(before time: UInt64) {
        state.withLock { state in
            var open: Set<String> = []
            for entry in state.entries {
                switch entry.what {
                case .call(let call): open.insert("\(entry.who) \(call)")
                case .ended(let call, _): open.remove("\(entry.who) \(call)")
                case .exited(let who, _): open = open.filter { !$0.hasPrefix(who + " ") }
                default: break
                }
            }
            state.entries.removeAll { entry in
                guard entry.time < time else { return false }
                switch entry.what {
                case .call(let call): return !open.contains("\(entry.who) \(call)")
                case .use(.reused, _, _), .kill, .exited, .starve, .feed: return false
                default: return true
                }
            }
        }
    }
}
