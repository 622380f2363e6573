/// Decides which of two attempts provides the response of a call. Pure.
///
/// A race is *alone* (no hedge), *hedged* (both attempts are in progress), *left(side)* (one of them has failed), or
/// *decided*. Transitions: alone → hedged by ``due()``; alone → decided by the end of the first attempt; hedged →
/// decided by a success; hedged → left by a failure; left → decided by the end of the other one; hedged → alone and
/// left(hedge) → decided by a hedge that was not sent; any → decided is final, and what ends later is discarded.
struct HedgeRaceStateMachine: Sendable {
    /// One of the two attempts.
    enum Side: Hashable, Sendable { case first, hedge }

    /// How an attempt ended.
    enum End: Hashable, Sendable {
        /// With a usable response.
        case success
        /// With a response of a server failure.
        case failure
        /// With an error.
        case error
        /// The hedge was not sent.
        case dropped
    }

    /// The next step.
    enum Action: Hashable, Sendable {
        /// Keep the outcome and wait: the other attempt may succeed.
        case wait
        /// The outcome of this side is the outcome of the call.
        case decide(Side)
        /// The outcome is not needed.
        case discard
    }

    private enum State: Hashable, Sendable {
        case alone
        case hedged
        case left(Side, other: End)
        case decided
    }

    private var state = State.alone
    /// A race has one hedge.
    private var hasHedged = false

    /// Whether the call has its outcome.
    var isDecided: Bool { state == .decided }

    /// Whether the outcome is that of two attempts that have both failed.
    private(set) var haveBothFailed = false

    /// Whether a hedge may be sent now.
    var canBeHedged: Bool { state == .alone && !hasHedged }

    /// The delay has passed. Returns whether to send the hedge.
    mutating func due() -> Bool {
        guard canBeHedged else { return false }
        hasHedged = true
        state = .hedged
        return true
    }

    /// An attempt has ended.
    mutating func ended(_ side: Side, _ end: End) -> Action {
        switch state {
        case .decided: return .discard
        case .alone:
            state = .decided
            return .decide(side)
        case .hedged:
            switch end {
            case .success:
                state = .decided
                return .decide(side)
            case .dropped:
                state = .alone
                return .discard
            case .failure, .error:
                state = .left(side == .first ? .hedge : .first, other: end)
                return .wait
            }
        case .left(_, let other):
            state = .decided
            guard end != .success else { return .decide(side) }
            guard end != .dropped else { return .decide(.first) }
            haveBothFailed = true
            // A response is more informative than an error, and the first attempt takes precedence.
            let first = side == .first ? end : other
            let hedge = side == .first ? other : end
            return .decide(hedge == .failure && first != .failure ? .hedge : .first)
        }
    }
}
