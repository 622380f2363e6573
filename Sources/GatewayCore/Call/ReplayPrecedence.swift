import Synchronization

/// The calls that are sent again because their credential was rejected, from the rejection until each is queued before
/// first attempts. During that time first attempts with the credential are held back. Why: with the next credential
/// they would take the connections, and the replays that wait for one could be rejected again.
@usableFromInline
package final class ReplayPrecedence: Sendable {
    private struct State {
        var pending = 0
        var waiters: [SharedFlight<Void>.WaiterID] = []
    }

    private let state = Locked(State())
    /// Whether no call is pending; read by each attempt.
    private let idle = Atomic(true)
    /// The first attempts that wait. This flight itself never ends.
    private let waiting: SharedFlight<Void>

    package init(clock: any GatewayClock) { waiting = SharedFlight(clock: clock) }

    /// Whether first attempts need not wait.
    package var isIdle: Bool { idle.load(ordering: .acquiring) }

    /// The number of first attempts that wait.
    package var waiterCount: Int { waiting.waiterCount }

    /// Waits until each replay has its place.
    ///
    /// - Returns: `value`, or how else the wait of this caller ended.
    package func wait(until deadline: Deadline?) async -> FlightOutcome<Void> {
        let id = state.withLock { state -> SharedFlight<Void>.WaiterID? in
            guard state.pending > 0 else { return nil }
            let id = waiting.join(until: deadline)
            state.waiters.append(id)
            return id
        }
        guard let id else { return .value(()) }
        return await waiting.outcome(of: id)
    }

    private func begin() {
        state.withLock { state in
            state.pending += 1
            idle.store(false, ordering: .releasing)
        }
    }

    private func end() {
        let waiters = state.withLock { state -> [SharedFlight<Void>.WaiterID] in
            state.pending -= 1
            guard state.pending == 0 else { return [] }
            idle.store(true, ordering: .releasing)
            defer { state.waiters = [] }
            return state.waiters
        }
        waiting.tell((), to: waiters)
    }

    /// The place of one call. It passes at the latest when nothing refers to it.
    @usableFromInline
    package final class Place: Sendable {
        private let precedence: ReplayPrecedence
        private let isPending = Atomic(false)

        package init(_ precedence: ReplayPrecedence) { self.precedence = precedence }

        deinit { pass() }

        /// The call waits for its credential: first attempts wait for it.
        package func wait() {
            if !isPending.exchange(true, ordering: .relaxed) { precedence.begin() }
        }

        /// The call is sent, waits for something else, such as a connection, or ends: first attempts come after it
        /// anyway, or need not wait for it.
        package func pass() {
            if isPending.exchange(false, ordering: .relaxed) { precedence.end() }
        }
    }
}

extension RequestContext {
    /// The place of a call whose credential was rejected.
    package var replay: ReplayPrecedence.Place? {
        get { values.value.replay }
        set { values.value.replay = newValue }
    }
}
