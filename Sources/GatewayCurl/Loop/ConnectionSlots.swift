import GatewayCore
import Synchronization

/// The connection slots of a loop. Each exchange holds one until it ends; requests without one wait here,
/// before they get their credential.
///
/// Callers enter and leave on their own threads. The loop enforces the time limits of waiting requests.
final class ConnectionSlots: Sendable {
    private struct State {
        var queue: AdmissionQueue
        /// The waiting requests, by index.
        var waiters: [SlotWaiter?] = []
        var freeIndices: [Int] = []
        var wheel = TimerWheel()
        /// When the loop next checks the wheel at the latest; `never` if no request waits.
        var alarm = LoopClock.never
        var isClosed = false
    }

    let settings: LoopSettings
    private let state: Locked<State>
    private let crowd = Atomic<Bool>(false)

    init(_ settings: LoopSettings) {
        self.settings = settings
        state = Locked(
            State(
                queue: AdmissionQueue(
                    perOrigin: settings.connectionsPerOrigin, inAll: settings.connectionsInAll,
                    waitingLimit: settings.waitingLimit)))
    }

    /// Whether requests wait.
    var isCrowded: Bool { crowd.load(ordering: .relaxed) }

    /// The slots in use, for tests.
    var activeCount: Int { state.withLock { $0.queue.activeCount } }

    /// The number of waiting requests, by origin.
    var waiting: [Origin: Int] { state.withLock { $0.queue.waitingByOrigin } }

    // MARK: Callers

    /// A slot, if one is free; `nil` if the request must wait.
    func enterNow(_ origin: Origin) throws(NetworkError) -> ConnectionPermit? {
        let (place, isClosed) = state.withLock { state in
            state.isClosed ? (nil, true) : (state.queue.enterNow(origin), false)
        }
        if isClosed { throw Transfer.closed(origin) }
        return place.map { ConnectionPermit(slots: self, place: $0, waited: 0) }
    }

    /// Waits for a slot.
    ///
    /// - Parameters:
    ///   - waiter: a waiter that was not used before.
    ///   - inbox: the inbox of the loop.
    /// - Throws: ``NetworkError`` with the code `overloaded`, `timeout` at its deadline, `cancelled` or `closed`.
    @inline(__always)
    func enter(
        _ waiter: SlotWaiter, _ request: HTTPRequest, context: RequestContext, inbox: Inbox
    ) async throws(NetworkError) -> ConnectionPermit {
        let outcome = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                unsafe wait(waiter, continuation, request.origin, inbox)
            }
        } onCancel: {
            cancel(waiter)
        }
        ThreadSanitizer.acquired(waiter)
        guard case .granted(let place) = outcome else { throw error(outcome, request, context) }
        return ConnectionPermit(slots: self, place: place, waited: max(0, settings.clock.now - waiter.began))
    }

    /// Releases a slot.
    func leave(_ place: Int) {
        let now = isCrowded ? settings.clock.now : 0
        var next = change { state in
            state.queue.leave(place)
            return Self.next(&state, now)
        }
        while let told = next {
            told.waiter.resume(told.outcome)
            // The slot goes to one request. A request that has timed out does not use it.
            if case .granted = told.outcome { return }
            next = change { Self.next(&$0, now) }
        }
    }

    @inline(never)
    private func wait(
        _ waiter: SlotWaiter, _ continuation: UnsafeContinuation<SlotWaiter.Outcome, Never>,
        _ origin: Origin, _ inbox: Inbox
    ) {
        unsafe waiter.continuation = continuation
        // Whether the loop's next check would be too late.
        var wakes = false
        let outcome = change { state -> SlotWaiter.Outcome? in
            if state.isClosed { return .closed }
            if unsafe waiter.isCancelled { return .cancelled }
            if let place = state.queue.enterNow(origin) { return .granted(place) }
            guard waiter.expiry.at > waiter.began else { return .expired(waiter.expiry.phase) }
            let index = state.freeIndices.popLast() ?? state.waiters.count
            if index == state.waiters.count { state.waiters.append(nil) }
            guard state.queue.wait(index, origin: origin, isReplay: waiter.isReplay) else {
                state.freeIndices.append(index)
                return .refused
            }
            state.waiters[index] = waiter
            unsafe waiter.index = index
            state.wheel.schedule(index, at: LoopClock.tick(of: waiter.expiry.at))
            wakes = waiter.expiry.at < state.alarm
            if wakes { state.alarm = waiter.expiry.at }
            return nil
        }
        if let outcome { waiter.resume(outcome) } else if wakes { _ = inbox.post(.wake) }
    }

    private func cancel(_ waiter: SlotWaiter) {
        let waits = change { state in
            unsafe waiter.isCancelled = true
            let index = unsafe waiter.index
            guard index >= 0 else { return false }
            state.queue.withdraw(index)
            _ = Self.remove(index, &state)
            return true
        }
        if waits { waiter.resume(.cancelled) }
    }

    // MARK: The loop

    /// Takes a separate slot for an exchange that continues without its caller, or whose response is streamed, until it
    /// ends.
    ///
    /// - Returns: the place, for ``leave(_:)``.
    func keep(_ origin: Origin) -> Int { state.withLock { $0.queue.keep(origin) } }

    /// When the loop must call ``expire(at:)``. After this call a request with an earlier limit wakes the loop.
    func setAlarm() -> Int64 {
        guard isCrowded else { return LoopClock.never }
        return state.withLock { state in
            state.alarm = state.wheel.nextTick.map { Int64($0) * 1_000_000 } ?? LoopClock.never
            return state.alarm
        }
    }

    /// Ends the wait of requests that have timed out.
    func expire(at now: Int64) {
        guard isCrowded else { return }
        let expired = change { state in
            var indices: [Int] = []
            state.wheel.advance(to: UInt64(max(0, now)) / 1_000_000, into: &indices)
            return indices.compactMap { index -> SlotWaiter? in
                state.queue.withdraw(index)
                return Self.remove(index, &state)
            }
        }
        for waiter in expired { waiter.resume(.expired(waiter.expiry.phase)) }
    }

    /// Ends the wait of all requests and refuses new ones.
    func close() {
        let waiters = change { state in
            state.isClosed = true
            return state.waiters.indices.compactMap { index -> SlotWaiter? in
                guard let waiter = state.waiters[index] else { return nil }
                state.queue.withdraw(index)
                _ = Self.remove(index, &state)
                return waiter
            }
        }
        for waiter in waiters { waiter.resume(.closed) }
    }

    // MARK: State

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { state in
            let result = body(&state)
            let isCrowded = state.queue.waitingCount > 0
            // The loop does not check an empty wheel: the next request must wake it.
            if !isCrowded { state.alarm = LoopClock.never }
            if crowd.load(ordering: .relaxed) != isCrowded { crowd.store(isCrowded, ordering: .relaxed) }
            return result
        }
    }

    /// The next request that gets a slot, or that has timed out before the loop's check.
    private static func next(
        _ state: inout State, _ now: Int64
    ) -> (waiter: SlotWaiter, outcome: SlotWaiter.Outcome)? {
        guard let (index, place) = state.queue.next(), let waiter = remove(index, &state) else { return nil }
        guard waiter.expiry.at > now else {
            state.queue.leave(place)
            return (waiter, .expired(waiter.expiry.phase))
        }
        return (waiter, .granted(place))
    }

    private static func remove(_ index: Int, _ state: inout State) -> SlotWaiter? {
        state.wheel.cancel(index)
        state.freeIndices.append(index)
        let waiter = state.waiters[index]
        state.waiters[index] = nil
        if let waiter { unsafe waiter.index = -1 }
        return waiter
    }

    // MARK: Errors

    @inline(never)
    private func error(
        _ outcome: SlotWaiter.Outcome, _ request: HTTPRequest, _ context: RequestContext
    ) -> NetworkError {
        switch outcome {
        case .granted, .closed: return Transfer.closed(request.origin)
        case .cancelled:
            return NetworkError(
                .cancelled, "The task was cancelled before the request was sent.", origin: request.origin,
                phase: .queue)
        case .refused:
            return NetworkError(
                .overloaded,
                "\(settings.waitingLimit) requests already wait for a connection (waitingLimit): send fewer "
                    + "requests at a time.",
                origin: request.origin, phase: .queue)
        case .expired(let limit):
            let limits = context.limits.map { settings.limits.under($0) } ?? settings.limits
            let message = TimeoutMessage.text(
                limit, at: .queue, limits: limits, own: context.limits,
                callLimit: context.deadline?.limit, peer: Peer(request.origin, settings.configuration))
            // Only the deadline belongs to the call. When another limit passes, nothing was sent because the client
            // itself is overloaded.
            return NetworkError(
                limit == .call ? .timeout : .overloaded, message, origin: request.origin, phase: .queue,
                limit: limit)
        }
    }
}

/// A request that waits for a slot. Its state changes under the lock of its ``ConnectionSlots``.
@safe
final class SlotWaiter: Sendable {
    /// How a wait ends.
    enum Outcome: Sendable {
        /// The request got a slot: the place of its origin.
        case granted(Int)
        /// The limit of this phase has passed.
        case expired(NetworkError.Phase)
        /// Too many requests wait.
        case refused
        case cancelled
        case closed
    }

    let expiry: (at: Int64, phase: NetworkError.Phase)
    let began: Int64
    let isReplay: Bool
    /// The index among the waiting requests; -1 if it does not wait.
    @exclusivity(unchecked) nonisolated(unsafe) var index = -1
    @exclusivity(unchecked) nonisolated(unsafe) var isCancelled = false
    /// Set before it waits. Resumed once: by what takes it out of the queue, or without waiting.
    @exclusivity(unchecked) nonisolated(unsafe) var continuation: UnsafeContinuation<Outcome, Never>?

    /// - Parameter timing: the timing of the request that begins to wait.
    init(_ timing: TransferTiming, _ context: RequestContext) {
        expiry = timing.expiry
        began = timing.submitted
        isReplay = context.attempt.isReplay
    }

    /// Called once, without a lock.
    func resume(_ outcome: Outcome) {
        ThreadSanitizer.released(self)
        unsafe continuation?.resume(returning: outcome)
    }
}

/// The slot of a request, until its exchange has ended and its response is recorded. It has three words, the size that
/// an existential stores inline.
struct ConnectionPermit: AdmissionPermit {
    let slots: ConnectionSlots
    let place: Int
    /// How long the request waited, in nanoseconds.
    let waited: Int64

    var connectionWait: Duration { .nanoseconds(waited) }

    func leave() { slots.leave(place) }

    func end(_ outcome: AdmissionOutcome) { leave() }

    /// The exchange of a stream holds its own slot: it may continue when the body is no longer read.
    func responded(status: Int) -> (any AdmissionPermit)? {
        leave()
        return nil
    }
}
