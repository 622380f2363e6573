import GatewayCore

@testable import GatewayResilience

/// A rate gate that is written as simply as possible, in whole microseconds: it keeps one list of waiting calls, sorts it
/// whenever their order counts, and computes the pace from all that happened.
struct ReferenceGate {
    struct Call: Equatable {
        let id: UInt64
        var rank: Int
        let limit: Int
        let isReplay: Bool
    }

    /// What becomes of a call that enters.
    enum Outcome: Equatable {
        case passed
        case waits(turn: Int)
        case refused(turn: Int)
        case full(turn: Int)
    }

    /// What follows for a call that waits.
    enum Action: Equatable {
        case release(UInt64)
        case refuse(UInt64, turn: Int)
    }

    enum PaceEvent {
        case limited(quota: Double?, isExact: Bool, wasPaced: Bool)
        case grown
    }

    static let day = 86_400_000_000

    let policy: RateGatePolicy
    var mode = RateGateStateMachine.State.open
    var slot = 0
    private var paceEvents: [PaceEvent] = [] { didSet { pace = computedPace } }
    private(set) var pace: Double
    private var knowsPace = false
    var probation = 10_000_000
    var pacedUntil = 0
    var rejectionsInARow = 0
    var calls: [Call] = []
    var jitter = 0.0
    var actions: [Action] = []

    init(policy: RateGatePolicy) {
        self.policy = policy
        pace = policy.firstPace
    }

    static func microseconds(_ duration: Duration) -> Int {
        let (seconds, attoseconds) = duration.components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }

    // MARK: Pace

    private func bounded(_ pace: Double) -> Double { min(max(pace, policy.slowestPace), 10_000) }

    private var computedPace: Double {
        var pace: Double?
        var most = 10_000.0
        var isSearching = true
        for event in paceEvents {
            switch event {
            case .grown:
                guard let known = pace else { continue }
                let step = isSearching ? min(0.7, 0.7 * known) : min(0.05, 0.0075 * known)
                pace = min(bounded(known + step), most)
            case .limited(let quota, let isExact, let wasPaced):
                if let quota { most = isExact ? bounded(quota) : 10_000 }
                if wasPaced {
                    let known = min(pace ?? quota ?? policy.firstPace, quota ?? .infinity)
                    pace = min(bounded(known * (isSearching ? 0.5 : 0.7)), most)
                    isSearching = false
                } else {
                    pace = min(bounded(quota ?? pace ?? policy.firstPace), most)
                    if quota != nil { isSearching = false }
                }
            }
        }
        return pace ?? policy.firstPace
    }

    private func step(_ jitter: Double) -> Int { Int((1_000_000 / pace * (1 + 0.1 * jitter)).rounded(.up)) }

    // MARK: Order

    private var ordered: [Call] { calls.sorted { ($1.rank, $0.id) < ($0.rank, $1.id) } }

    private func turn(ahead: Int, at now: Int) -> Int { max(slot, now) + ahead * step(1) }

    /// Looks only at the calls that others got ahead of.
    private mutating func refuseLate(below rank: Int, at now: Int) {
        var ahead = 0
        for call in ordered {
            let turn = turn(ahead: ahead, at: now)
            if call.rank >= rank || turn < call.limit {
                ahead += 1
            } else {
                calls.removeAll { $0.id == call.id }
                actions.append(.refuse(call.id, turn: turn))
            }
        }
    }

    private mutating func release(at now: Int) {
        let step = step(jitter)
        slot = (step < 10_000 ? max(slot, now - 10_000) : now) + step
    }

    // MARK: Events

    mutating func advance(to now: Int) {
        if mode == .closed, now >= slot {
            mode = .paced
            pacedUntil = slot + probation
        }
        while mode == .paced, now >= slot, let first = ordered.first {
            calls.removeAll { $0.id == first.id }
            actions.append(.release(first.id))
            release(at: now)
        }
        if mode == .paced, calls.isEmpty, now >= slot, now >= pacedUntil { mode = .open }
    }

    mutating func enter(_ id: UInt64, rank: Int, limit: Int, isReplay: Bool, at now: Int) -> Outcome {
        advance(to: now)
        if mode == .open { return .passed }
        if mode == .paced, calls.isEmpty, now >= slot {
            release(at: now)
            return .passed
        }
        let turn = turn(ahead: calls.count { $0.rank >= rank }, at: now)
        if turn >= limit { return .refused(turn: turn) }
        if !isReplay, calls.count(where: { !$0.isReplay }) >= policy.maximumWaiting {
            return .full(turn: turn)
        }
        calls.append(Call(id: id, rank: rank, limit: limit, isReplay: isReplay))
        refuseLate(below: rank, at: now)
        return .waits(turn: turn)
    }

    mutating func withdraw(_ id: UInt64) -> Bool {
        let count = calls.count
        calls.removeAll { $0.id == id }
        return calls.count < count
    }

    mutating func raise(_ id: UInt64, to rank: Int, at now: Int) {
        guard let index = calls.firstIndex(where: { $0.id == id && $0.rank < rank }) else { return }
        calls[index].rank = rank
        refuseLate(below: rank, at: now)
    }

    mutating func close(_ closing: RateGateStateMachine.Closing, at now: Int) -> Int? {
        advance(to: now)
        let wasPaced = mode == .paced && closing.isCurrent && closing.isRejection
        var wait = closing.wait.map(Self.microseconds) ?? 0
        if closing.wait == nil, closing.isRejection {
            if closing.isCurrent { rejectionsInARow = min(rejectionsInARow + 1, 16) }
            wait = Self.microseconds(policy.pause)
            for _ in 1..<max(2, rejectionsInARow) where rejectionsInARow > 1 {
                wait = min(wait * 2, 60_000_000)
            }
        }
        wait = min(max(wait, 0), Self.day)
        if closing.isCurrent || !knowsPace {
            knowsPace = true
            paceEvents.append(
                .limited(
                    quota: closing.quota?.perSecond, isExact: closing.quota?.isExact ?? false,
                    wasPaced: wasPaced))
        }
        if let window = closing.window {
            probation = min(max(Self.microseconds(window), 1_000_000), 60_000_000)
        }
        if wait == 0, !closing.isRejection { return nil }
        let spread = min(Double(wait) * 0.1 * jitter, 10_000_000).rounded()
        let delay = min(wait + Int(spread), Self.day)
        let closes = mode != .closed
        slot = max(slot, now + delay)
        mode = .closed
        refuseLate(below: 4, at: now)
        return closes ? delay : nil
    }

    mutating func succeed(isCurrent: Bool) {
        guard isCurrent else { return }
        rejectionsInARow = 0
        if mode == .paced, !calls.isEmpty { paceEvents.append(.grown) }
    }
}
