import GatewayCore

/// Decides when a call may pass one gate. Pure: the caller passes the time and the jitter.
///
/// Calls wait in four queues, one for each priority. Each position has a turn: the time at which the gate
/// opens, plus a step of the pace for each call ahead. A call whose turn would be too late is refused as
/// soon as that is known: when it enters, when other calls overtake it, and when the gate closes for longer.
struct RateGateStateMachine: Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias ID = UInt64

    /// What the gate does with calls.
    enum State: Hashable, Sendable {
        /// They pass. → `closed` by ``close(_:at:)``.
        case open
        /// They wait. → `paced` by time.
        case closed
        /// They pass one after the other. → `closed` by ``close(_:at:)``; `open` by time, if no call waits.
        case paced
    }

    /// The result of entering a call.
    enum Entry: Hashable, Sendable {
        case passed
        /// It waits, and its turn comes at this time.
        case waits(turn: Instant)
        /// Its turn would come too late.
        case refused(turn: Instant)
        /// Too many calls wait.
        case full(turn: Instant)
    }

    /// The end of a call's wait.
    enum Action: Hashable, Sendable {
        case release(ID)
        case refuse(ID, turn: Instant)
    }

    /// Why and for how long the gate closes.
    struct Closing: Hashable, Sendable {
        /// The time that the server named; `nil` if it rejected a call and named none.
        var wait: Duration?
        /// The quota, if it is known.
        var quota: RatePace.Quota?
        /// The length of its window.
        var window: Duration?
        /// Whether the server rejected the call. Otherwise it took the last of the quota.
        var isRejection: Bool
        /// Whether the call was sent after the gate had closed last.
        var isCurrent: Bool
    }

    /// A waiting call, with its latest acceptable turn.
    private struct Waiter: Sendable {
        let id: ID
        let limit: Instant
        let isReplay: Bool
    }

    /// The maximum time over which the opening is spread: it is a tenth of the wait, at most 10 s.
    private static let longestOpeningJitter = Duration.seconds(10)
    /// The tolerance for late timers, so that they do not limit a fast pace.
    private static let slack = Duration.milliseconds(10)

    private let policy: RateGatePolicy
    private(set) var state = State.open
    private(set) var pace: RatePace
    /// When the next call may pass; while the gate is closed, when it opens.
    private(set) var nextSlot: Instant
    /// Until when calls are released at a pace, even if no call waits.
    private var pacedUntil: Instant
    private var probation = Duration.seconds(10)
    /// The number of consecutive rejections without a time.
    private var rejections = 0
    /// By priority; each in the order of arrival.
    private var lines: [[Waiter]] = Array(repeating: [], count: 4)
    private(set) var waiting = 0
    /// The waiting calls that are repeated because their credential was rejected. They are not limited: each
    /// was released before.
    private var waitingReplays = 0

    /// The position of the next random time in its range, from 0 to 1. The driver sets it before each event.
    var jitter = 0.0
    /// The actions since the last ``takeActions()``.
    private(set) var actions: [Action] = []

    init(policy: RateGatePolicy, start: Instant) {
        self.policy = policy
        pace = RatePace(policy)
        nextSlot = start
        pacedUntil = start
    }

    /// When ``advance(to:)`` is due; `nil` if no call waits.
    var alarm: Instant? { waiting > 0 ? nextSlot : nil }

    // MARK: Calls

    /// Enters a call.
    ///
    /// - Parameters:
    ///   - id: greater than those before.
    ///   - rank: its priority, 0 to 3.
    ///   - limit: the latest acceptable turn.
    ///   - isReplay: whether it is repeated because its credential was rejected.
    mutating func enter(
        _ id: ID, rank: Int, limit: Instant, isReplay: Bool = false, at now: Instant
    ) -> Entry {
        advance(to: now)
        guard state != .open else { return .passed }
        let turn = turn(rank: rank, at: now)
        if state == .paced, waiting == 0, nextSlot <= now {
            takeSlot(at: now)
            return .passed
        }
        guard turn < limit else { return .refused(turn: turn) }
        guard isReplay || !isFull else { return .full(turn: turn) }
        lines[rank].append(Waiter(id: id, limit: limit, isReplay: isReplay))
        waiting += 1
        if isReplay { waitingReplays += 1 }
        refuseLate(below: rank, at: now)
        return .waits(turn: turn)
    }

    /// Whether so many calls wait that no other may, but for replays.
    var isFull: Bool { waiting - waitingReplays >= policy.maximumWaiting }

    /// The turn of a call that would enter now.
    func turn(rank: Int, at now: Instant) -> Instant {
        turn(behind: lines[rank...].reduce(0) { $0 + $1.count }, at: now)
    }

    /// Removes a cancelled call. Returns whether it was waiting.
    mutating func withdraw(_ id: ID) -> Bool {
        for rank in lines.indices {
            guard let index = Self.index(of: id, in: lines[rank]) else { continue }
            let waiter = lines[rank].remove(at: index)
            leave(waiter)
            return true
        }
        return false
    }

    /// Raises the priority of a waiting call. It is ordered by its arrival.
    mutating func raise(_ id: ID, to rank: Int, at now: Instant) {
        for lower in 0..<rank {
            guard let index = Self.index(of: id, in: lines[lower]) else { continue }
            let waiter = lines[lower].remove(at: index)
            let place = lines[rank].firstIndex { $0.id > id } ?? lines[rank].endIndex
            lines[rank].insert(waiter, at: place)
            return refuseLate(below: rank, at: now)
        }
    }

    // MARK: Responses

    /// Closes the gate, or extends the time for which it is closed.
    ///
    /// - Returns: how long it is closed from now on, if it was not closed before.
    mutating func close(_ closing: Closing, at now: Instant) -> Duration? {
        advance(to: now)
        let wasPaced = state == .paced && closing.isRejection
        let wait = min(max(closing.wait ?? pause(closing), .zero), RateLimitReport.longest)
        if closing.isCurrent || pace.perSecond == nil { pace.limit(to: closing.quota, wasPaced: wasPaced) }
        if let window = closing.window { probation = min(max(window, .seconds(1)), .seconds(60)) }
        guard wait > .zero || closing.isRejection else { return nil }
        let spread = min(wait.scaled(by: 0.1 * jitter), Self.longestOpeningJitter)
        // In whole microseconds, so that it does not depend on rounding errors.
        let extra = Duration.microseconds(Int64((spread / .microseconds(1)).rounded()))
        let delay = min(wait + extra, RateLimitReport.longest)
        let isClosing = state != .closed
        nextSlot = max(nextSlot, now.adding(delay))
        state = .closed
        refuseLate(below: lines.count, at: now)
        return isClosing ? delay : nil
    }

    /// Records an accepted call.
    ///
    /// - Parameter isCurrent: whether the call was sent after the gate had closed last.
    mutating func succeed(isCurrent: Bool, at now: Instant) {
        guard isCurrent else { return }
        rejections = 0
        if state == .paced, waiting > 0 { pace.grow() }
    }

    // MARK: Time

    /// Opens the gate and releases the calls whose turn has come.
    mutating func advance(to now: Instant) {
        if state == .closed, nextSlot <= now {
            state = .paced
            pacedUntil = nextSlot.adding(probation)
        }
        guard state == .paced else { return }
        while nextSlot <= now, let rank = lines.lastIndex(where: { !$0.isEmpty }) {
            let waiter = lines[rank].removeFirst()
            leave(waiter)
            actions.append(.release(waiter.id))
            takeSlot(at: now)
        }
        if waiting == 0, nextSlot <= now, pacedUntil <= now { state = .open }
    }

    /// Returns and clears the actions.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Parts

    /// Removes a call that no longer waits.
    private mutating func leave(_ waiter: Waiter) {
        waiting -= 1
        if waiter.isReplay { waitingReplays -= 1 }
    }

    private static func index(of id: ID, in line: [Waiter]) -> Int? { line.firstIndex { $0.id == id } }

    private mutating func pause(_ closing: Closing) -> Duration {
        guard closing.isRejection else { return .zero }
        if closing.isCurrent { rejections = min(rejections + 1, 16) }
        return ExponentialBackoff(base: policy.pause, longest: .seconds(60)).delay(after: rejections)
    }

    private mutating func takeSlot(at now: Instant) {
        let step = pace.step(jitter: jitter)
        let base = step < Self.slack ? max(nextSlot, now.adding(.zero - Self.slack)) : now
        nextSlot = base.adding(step)
    }

    /// The latest turn of a call behind others, at the longest steps.
    private func turn(behind ahead: Int, at now: Instant) -> Instant {
        max(nextSlot, now).adding(pace.step(jitter: 1).multiplied(by: ahead))
    }

    /// Refuses the calls below a rank whose turn would be too late.
    private mutating func refuseLate(below rank: Int, at now: Instant) {
        var ahead = lines[rank...].reduce(0) { $0 + $1.count }
        for rank in (0..<rank).reversed() where !lines[rank].isEmpty {
            var kept: [Waiter] = []
            for waiter in lines[rank] {
                let turn = turn(behind: ahead, at: now)
                if turn < waiter.limit {
                    kept.append(waiter)
                    ahead += 1
                } else {
                    leave(waiter)
                    actions.append(.refuse(waiter.id, turn: turn))
                }
            }
            lines[rank] = kept
        }
    }
}

extension Duration {
    /// The product, at most ``longest``.
    fileprivate func multiplied(by count: Int) -> Duration {
        count < 1_000_000_000 && self <= .seconds(100_000) ? self * count : .longest
    }
}
