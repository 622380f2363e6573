public import GatewayCore

/// Limits how many calls are in progress at the same time, for each origin and in total, and orders the
/// waiting calls.
///
/// An engine has one if its configuration has a ``BulkheadPolicy``. Without an engine, a bulkhead limits any
/// operation:
/// ```swift
/// let bulkhead = try Bulkhead(policy: .mobile)
/// let rows = try await bulkhead.execute(priority: .high) { try await database.rows() }
/// ```
/// A permit is held until the body of the response has ended. A call that is rejected fails with the code
/// `overloaded`.
public final class Bulkhead: AdmissionControl {
    private struct Shared {
        var machine: BulkheadStateMachine<BulkheadWaiter>
        var changes = DeliveryQueue<BulkheadStateMachine<BulkheadWaiter>.Change>()
        /// The waiters of each call. An attempt that is hedged has two.
        var calls: [UInt64: [WaiterID]] = [:]
        /// The instant of the alarm; `nil` if none is set.
        var alarm: ContinuousClock.Instant?
        var alarmTask: Task<Void, Never>?
    }

    typealias WaiterID = BulkheadStateMachine<BulkheadWaiter>.WaiterID

    /// The policy.
    public let policy: BulkheadPolicy
    let clock: any GatewayClock
    /// The origin of the ticks of permits.
    private let start: ContinuousClock.Instant
    private let shared: Locked<Shared>
    private let outlets = EventOutlets()

    /// Makes a bulkhead without calls.
    ///
    /// - Parameters:
    ///   - policy: how many calls may be in progress and wait, and in which order.
    ///   - clock: the clock of deadlines and of ageing.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public convenience init(
        policy: BulkheadPolicy, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        try NetworkError.check("bulkhead", policy.validate)
        self.init(valid: policy, clock: clock)
    }

    /// Makes a bulkhead with a valid policy.
    init(valid policy: BulkheadPolicy, clock: any GatewayClock) {
        self.policy = policy
        self.clock = clock
        start = clock.now
        shared = Locked(Shared(machine: BulkheadStateMachine(policy: policy)))
    }

    deinit { shared.withLock { $0.alarmTask }?.cancel() }

    /// The current numbers of calls in progress and waiting.
    public var statistics: BulkheadStatistics { shared.withLock { $0.machine.statistics } }

    // MARK: Calls

    /// Runs an operation when it has a permit.
    ///
    /// - Parameters:
    ///   - priority: the priority of the operation.
    ///   - origin: the origin that it calls; operations without one share one limit, as if they called one
    ///     origin.
    ///   - deadline: when it stops waiting; by default the deadline of the task.
    ///   - isolation: the actor of the caller.
    ///   - operation: the operation.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `overloaded`, `timeout` or `cancelled` if the
    ///   operation was not run, otherwise the error that it throws.
    public func execute<Value>(
        priority: CallPriority = .normal, for origin: Origin? = nil, until deadline: Deadline? = .ambient,
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value
    ) async throws -> Value {
        let permit: BulkheadPermit
        if let place = shared.withLock({ $0.machine.enterNow(origin) }) {
            permit = BulkheadPermit(self, place, nil, nil)
        } else {
            let call = BulkheadCall(
                origin: origin, context: RequestContext(options: CallOptions(priority: priority)),
                deadline: deadline, queueLimit: nil)
            permit = BulkheadPermit(self, try await wait(call, BulkheadWaiter(guardedBy: nil)), nil, nil)
        }
        do {
            let value = try await operation()
            permit.end(.response(status: (value as? HTTPResponse)?.status ?? 200))
            return value
        } catch {
            permit.end(.failed(NetworkError(wrapping: error)))
            throw error
        }
    }

    /// Admits an attempt if a permit is available.
    public func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? {
        guard context.isLimitedByBulkhead else { return UnguardedPermit() }
        // It had a permit for its first attempt.
        let isBackground = context.isBackground && !context.attempt.isReplay
        let entered = shared.withLock { $0.machine.enterNow(request.origin, isBackground: isBackground) }
        guard let place = entered else {
            guard isBackground else { return nil }
            throw NetworkError(
                .overloaded, "The permits that are free are kept for calls that are not in the background.",
                origin: request.origin, phase: .queue)
        }
        return BulkheadPermit(self, place, request.method, context)
    }

    /// Waits for a permit.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `overloaded`, `timeout` or `cancelled`.
    public func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        try await enter(request, context: context, guardedBy: nil)
    }

    /// Raises the priority of the waiting attempts of a call.
    public func priorityRaised(_ context: RequestContext) {
        let now = clock.now
        update { shared in
            for id in shared.calls[context.callID] ?? [] {
                shared.machine.raise(id, to: context.priority, at: now)
            }
        }
    }

    // MARK: Permits

    /// The time since the bulkhead was made, in units of 10 µs. It wraps around after 11 hours.
    var ticks: UInt32 { Self.ticks(start.duration(to: clock.now)) }

    private static func ticks(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.bounded.components
        return UInt32(truncatingIfNeeded: seconds * 100_000 + attoseconds / 10_000_000_000_000)
    }

    /// Returns a permit.
    ///
    /// - Parameters:
    ///   - begin: when it was taken, in ticks; `nil` if nothing was sent.
    ///   - sample: the latency sample of the call; `nil` for none.
    func leave(
        _ place: Int, since begin: UInt32?, _ sample: BulkheadStateMachine<BulkheadWaiter>.Sample?
    ) {
        let now = clock.now
        let held = begin.map { Int64(Self.ticks(start.duration(to: now)) &- $0) * 10 }
        update { shared in
            if let sample { shared.machine.record(sample, of: place, at: now) }
            shared.machine.leave(place, after: held, at: now)
        }
    }

    /// Records the latency of a call that is still in progress.
    func record(_ sample: BulkheadStateMachine<BulkheadWaiter>.Sample, of place: Int) {
        let now = clock.now
        update { $0.machine.record(sample, of: place, at: now) }
    }

    // MARK: Events

    /// Reports events to an engine's sink from now on.
    package func report(to outlet: EventOutlet) { outlets.add(outlet) }
}

// MARK: - Waiting

/// A waiting call.
struct BulkheadCall {
    let origin: Origin?
    /// The request, for the event of the wait; `nil` if there is none.
    var request: HTTPRequest?
    /// Holds the priority, which may rise.
    let context: RequestContext
    let deadline: Deadline?
    /// The maximum wait.
    let queueLimit: Duration?
}

extension Bulkhead {
    /// Waits for a permit.
    ///
    /// - Parameter breaker: the circuit breaker that guards the attempt; `nil` for none.
    func enter(
        _ request: HTTPRequest, context: RequestContext, guardedBy breaker: CircuitBreaker?
    ) async throws(NetworkError) -> any AdmissionPermit {
        if let permit = try enterNow(request, context: context) { return permit }
        let call = BulkheadCall(
            origin: request.origin, request: request, context: context, deadline: context.deadline,
            queueLimit: context.limits?.queue)
        let place = try await wait(call, BulkheadWaiter(guardedBy: breaker))
        return BulkheadPermit(self, place, request.method, context, hasWaited: true)
    }

    /// Waits for a permit.
    ///
    /// - Returns: the number of the origin.
    private func wait(_ call: BulkheadCall, _ waiter: BulkheadWaiter) async throws(NetworkError) -> Int {
        let now = clock.now
        let queueEnd = (call.queueLimit ?? policy.longestWait).map { now.adding(max(.zero, $0)) }
        let isQueueLimited = queueEnd.map { end in call.deadline.map { end < $0.instant } ?? true } ?? false
        let end = isQueueLimited ? queueEnd : call.deadline?.instant
        let entry = update { shared in
            // Read under the lock: a later raise finds the waiter.
            let entry = shared.machine.enter(
                waiter, to: call.origin, priority: call.context.priority,
                isReplay: call.context.attempt.isReplay, until: end, at: now)
            if case .waits(let id) = entry { shared.calls[call.context.callID, default: []].append(id) }
            return entry
        }
        let limit: (NetworkError.Phase, Duration?) =
            isQueueLimited ? (.queue, call.queueLimit ?? policy.longestWait) : (.call, call.deadline?.limit)
        switch entry {
        case .admitted(let place): return place
        case .rejected(let rejection): throw rejection.error(call.origin, policy, limit: limit)
        case .waits(let id):
            defer {
                forget(id, of: call.context.callID)
                if let request = call.request {
                    call.context.record(.admissionWaited(now.duration(to: clock.now)), for: request)
                }
            }
            // The circuit may have opened after it was checked and before there was a waiter to reject.
            if let breaker = waiter.breaker, let origin = call.origin {
                do throws(NetworkError) { try breaker.check(origin) } catch {
                    withdraw(id, waiter, .circuitOpened(error))
                }
            }
            let outcome = await call.context.waiting {
                await waiter.outcome()
            } end: { [self] in
                withdraw(id, waiter, .cancelled)
            }
            switch outcome {
            case .admitted(let place): return place
            case .rejected(let rejection): throw rejection.error(call.origin, policy, limit: limit)
            case .circuitOpened(let error): throw error
            case .cancelled:
                throw call.context.endOfWait(
                    "waited for a permit of the bulkhead", at: call.origin, phase: .queue)
            }
        }
    }

    private func withdraw(_ id: WaiterID, _ waiter: BulkheadWaiter, _ outcome: BulkheadWaiter.Outcome) {
        if update({ $0.machine.withdraw(id) }) { waiter.tell(outcome) }
    }

    private func forget(_ id: WaiterID, of call: UInt64) {
        shared.withLock { shared in
            shared.calls[call]?.removeAll { $0 == id }
            if shared.calls[call]?.isEmpty == true { shared.calls[call] = nil }
        }
    }

    /// Rejects the waiters that are guarded by a circuit breaker that has opened.
    func turnAway(guardedBy breaker: CircuitBreaker) {
        guard let rejection = breaker.peek(at: breaker.clock.now) else { return }
        let waiters = update { shared in
            shared.machine.empty(breaker.origin) {
                $0.breaker === breaker || $0.breaker?.host === breaker
            }
        }
        let error = breaker.error(rejection, at: breaker.clock.now, origin: breaker.origin)
        for waiter in waiters { waiter.tell(.circuitOpened(error)) }
    }

    // MARK: Driving

    /// Changes the state, and runs the resulting actions outside the lock.
    @inline(__always)
    private func update<Result: Sendable>(_ body: (inout Shared) -> Result) -> Result {
        let (result, actions, alarm, delivers) = shared.withLock { shared in
            let result = body(&shared)
            let alarm = Self.nextAlarm(&shared)
            let delivers =
                !shared.machine.changes.isEmpty && shared.changes.add(shared.machine.takeChanges())
            return (
                result, shared.machine.actions.isEmpty ? [] : shared.machine.takeActions(), alarm, delivers
            )
        }
        if !actions.isEmpty { run(actions) }
        if let alarm { setAlarm(at: alarm) }
        if delivers { deliver() }
        return result
    }

    @inline(never)
    private func run(_ actions: [BulkheadStateMachine<BulkheadWaiter>.Action]) {
        for action in actions {
            switch action {
            case .admit(let waiter, let place): waiter.tell(.admitted(place))
            case .reject(let waiter, let rejection): waiter.tell(.rejected(rejection))
            }
        }
    }

    /// When to set an alarm; `nil` if none is needed or one is already set early enough.
    private static func nextAlarm(_ shared: inout Shared) -> ContinuousClock.Instant? {
        guard let next = shared.machine.nextDeadline, shared.alarm.map({ next < $0 }) ?? true else {
            return nil
        }
        shared.alarm = next
        return next
    }

    @inline(never)
    private func setAlarm(at instant: ContinuousClock.Instant) {
        let clock = clock
        let task = Task.detached { [weak self] in
            do { try await clock.sleep(until: instant) } catch { return }
            self?.expire(instant)
        }
        let unneeded = shared.withLock { shared -> Task<Void, Never>? in
            // It may have fired already, and another one may be set.
            guard shared.alarm == instant else { return task }
            defer { shared.alarmTask = task }
            return shared.alarmTask
        }
        unneeded?.cancel()
    }

    private func expire(_ instant: ContinuousClock.Instant) {
        let now = clock.now
        update { shared in
            if shared.alarm == instant { (shared.alarm, shared.alarmTask) = (nil, nil) }
            shared.machine.expire(at: now)
        }
    }

    /// Reports changes in order: by one thread at a time, outside the lock.
    @inline(never)
    private func deliver() {
        while true {
            let changes = shared.withLock { $0.changes.next() }
            if changes.isEmpty { return }
            outlets.record(changes.map { $0.event(at: clock.now) })
        }
    }
}

extension BulkheadStateMachine.Change {
    fileprivate func event(at instant: ContinuousClock.Instant) -> StateEvent {
        switch self {
        case .overloaded(let origin, let limit, let waiting):
            StateEvent(
                instant: instant, origin: origin, kind: .bulkheadOverloaded(limit: limit, waiting: waiting))
        case .recovered(let origin):
            StateEvent(instant: instant, origin: origin, kind: .bulkheadRecovered)
        case .limit(let origin, let old, let new):
            StateEvent(
                instant: instant, origin: origin, kind: .concurrencyLimitChanged(from: old, to: new))
        }
    }
}

extension Bulkhead: Redacted {
    /// The calls in progress and waiting, such as `Bulkhead(12 of 256 in use, 0 waiting)`.
    public var description: String {
        let all = statistics.all
        return "Bulkhead(\(all.inUse) of \(all.limit) in use, \(all.waitingCount) waiting)"
    }
}
