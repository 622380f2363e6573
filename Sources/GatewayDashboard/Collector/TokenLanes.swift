import GatewayCore
import GatewayTelemetry

/// What happened to the tokens, by the label of their credential. Bounded, and without keys, subjects and tokens in what it
/// shows.
struct TokenLanes: Sendable {
    /// The maximum number of lanes. Events of further labels are not kept.
    static let laneLimit = 50
    static let eventLimit = 24
    /// The maximum number of refreshes in progress whose duration is measured.
    private static let refreshLimit = 100

    struct LaneKey: Hashable, Sendable {
        let label: String
        let isForSubjects: Bool
    }

    struct Event: Sendable {
        let time: UInt64
        let name: String
        let generation: UInt64
        let waiting: Int
        var reason: TokenEvent.Reason?
        var cause: FailureCause?
        var isPermanent: Bool?
        var retryAfter: Duration?
        var lifetime: Duration?
        /// Nanoseconds since the refresh started.
        var took: UInt64?
    }

    struct Lane: Sendable {
        fileprivate(set) var events: [Event] = []
        fileprivate(set) var generation: UInt64 = 0
        /// Why the latest refresh started.
        fileprivate(set) var reason: TokenEvent.Reason?
        fileprivate(set) var refreshes: [TokenEvent.Reason: Int] = [:]
        fileprivate(set) var lifetime: Duration?
        /// When the latest token expires; `nil` without one, and after a sign-out.
        fileprivate(set) var expiry: UInt64?
    }

    private struct Refresh: Sendable {
        let begin: UInt64
        let reason: TokenEvent.Reason
    }

    private(set) var lanes: [LaneKey: Lane] = [:]
    private var refreshes: [String: Refresh] = [:]

    /// Adds an event.
    ///
    /// - Returns: the lane, and the event as it is shown; `nil` if it has no room.
    mutating func add(_ event: borrowing TokenEvent, at time: UInt64) -> (lane: LaneKey, event: Event)? {
        let credential = event.credential.key
        let key = LaneKey(
            label: event.label.isEmpty ? "default" : event.label, isForSubjects: event.isForSubjects)
        guard lanes[key] != nil || lanes.count < Self.laneLimit else { return nil }
        var shown = Event(
            time: time, name: event.kind.name, generation: event.generation,
            waiting: event.waitingCalls.count)
        switch event.kind {
        case .refreshStarted(let reason):
            shown.reason = reason
            if refreshes.count < Self.refreshLimit || refreshes[credential] != nil {
                refreshes[credential] = Refresh(begin: time, reason: reason)
            }
        case .refreshed(let lifetime, _), .adopted(let lifetime, _):
            shown.lifetime = lifetime
            end(credential, &shown)
        case .refreshFailed(let cause, let isPermanent, _, let retryAfter):
            shown.cause = cause
            shown.isPermanent = isPermanent
            shown.retryAfter = retryAfter
            end(credential, &shown)
        case .grantDiscarded: end(credential, &shown)
        case .storeFailed(let code, let retryAfter):
            shown.cause = FailureCause(code)
            shown.retryAfter = retryAfter
        case .revocationFailed(let cause): shown.cause = cause
        default: break
        }
        lanes[key, default: Lane()].add(shown)
        return (key, shown)
    }

    private mutating func end(_ key: String, _ event: inout Event) {
        guard let refresh = refreshes.removeValue(forKey: key) else { return }
        event.took = event.time - min(event.time, refresh.begin)
        event.reason = refresh.reason
    }
}

extension TokenLanes.Lane {
    fileprivate mutating func add(_ event: TokenLanes.Event) {
        if events.count >= TokenLanes.eventLimit { events.removeFirst() }
        events.append(event)
        generation = event.generation
        if let lifetime = event.lifetime {
            self.lifetime = lifetime
            expiry = event.time.addingClamped(lifetime.metricNanoseconds)
        }
        if event.name == "signed_out" { expiry = nil }
        if event.name == "refresh_started", let reason = event.reason {
            self.reason = reason
            refreshes[reason, default: 0] += 1
        }
    }
}
