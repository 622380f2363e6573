public import GatewayCore
import Synchronization

/// Delays calls while a server limits their rate, and releases them at a pace.
///
/// ```swift
/// let gate = try RateGate(.standard)
/// configuration.protection.rateGate = gate
/// …
/// health.report(gate.limits)
/// ```
/// A response closes a gate: a 429, a 503 with `Retry-After`, or one that reports an exhausted quota. There
/// is one gate for each origin, credential and named limit. A limit without a name applies to all calls to
/// the origin with the credential, a named one to the operations whose responses name it. While a gate is
/// closed, calls wait. Then they are released one by one, by priority and arrival, at the pace of the quota
/// or at a pace estimated from rejections. No call is released before the time that the server named, and
/// none waits longer than a day.
///
/// A call whose turn comes after its deadline, or later than ``RateGatePolicy/longestWait``, fails immediately with the
/// code `rateLimited`. Nothing is sent, and `retryAfter` is the time until its turn. A call that has waited for a
/// connection when a gate closes returns it, and waits for its turn.
///
/// Several engines may share a gate. It keeps at most 1,024 limits; beyond that it removes open ones, the
/// least recently used first. If all of them delay calls, further limits are ignored.
public final class RateGate: Sendable {
    /// The state of all gates in one number, for the fast path of calls.
    struct Mark: Equatable {
        /// The number of closings, and in the lowest bit whether any gate is not open.
        let bits: UInt64

        static let none = Mark(bits: 0)
        var isLimiting: Bool { bits & 1 == 1 }
        var closings: UInt64 { bits >> 1 }
    }

    /// Releases the waiting calls.
    private struct Alarm {
        /// When it is due; `nil` if none is set.
        var instant: ContinuousClock.Instant?
        var task: Task<Void, Never>?
        /// Incremented for each task: an earlier task has no effect.
        var number: UInt64 = 0
    }

    private struct Shared {
        var state: RateGateState
        var alarm = Alarm()
        /// The unreported events, in order.
        var events = DeliveryQueue<StateEvent>()
    }

    /// The maximum number of limits.
    static let capacity = 1_024

    /// The policy.
    public let policy: RateGatePolicy
    let clock: any GatewayClock
    private let random: any RandomSource
    private let shared: Locked<Shared>
    private let outlets = EventOutlets()
    private let bits = Atomic<UInt64>(0)

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - policy: which limits it obeys, and how long calls wait.
    ///   - clock: the clock of waits. It must be the clock of the engine.
    ///   - random: the source of jitter.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public convenience init(
        _ policy: RateGatePolicy = .standard, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) throws(NetworkError) {
        try policy.validate()
        self.init(valid: policy, clock: clock, random: random)
    }

    /// Makes a gate with one of the presets.
    package convenience init(preset: RateGatePolicy) {
        self.init(valid: preset, clock: SystemClock(), random: FastRandomSource())
    }

    private init(valid policy: RateGatePolicy, clock: any GatewayClock, random: any RandomSource) {
        self.policy = policy
        self.clock = clock
        self.random = random
        shared = Locked(Shared(state: RateGateState(policy, capacity: Self.capacity)))
    }

    // MARK: Calls

    /// Read by each call.
    var mark: Mark { Mark(bits: bits.load(ordering: .relaxed)) }

    /// Returns when a call may be sent. Its steps are out of line, to keep the async frame of waiting calls
    /// small.
    @inline(never)
    package func wait(_ request: HTTPRequest, _ context: RequestContext) async throws(NetworkError) {
        var waiter = try enter(request, context, after: nil)
        while let waiting = waiter {
            let outcome = await outcome(of: waiting)
            waiter = try proceed(waiting, outcome, request)
        }
    }

    /// Enters the gates that apply to a call. Returns the waiter; `nil` if the call may be sent.
    ///
    /// - Parameter passed: the waiter of the previous wait.
    @inline(never)
    private func enter(
        _ request: HTTPRequest, _ context: RequestContext, after passed: RateWaiter?
    ) throws(NetworkError) -> RateWaiter? {
        guard context.rateGate != .ignore else { return nil }
        let now = clock.now
        let start = passed?.start ?? now
        let limit = limit(of: context, at: start)
        let key = passed?.key ?? RateGateKey(request, context, policy)
        let entrance = update { state, moment, effects in
            state.enter(
                key, context, after: passed?.serial ?? 0, since: start, limit: limit, at: moment, &effects)
        }
        switch entrance {
        case .passed:
            if let passed { recordWait(of: passed, request) }
            return nil
        case .refused(let turn, let isFull):
            if let passed { recordWait(of: passed, request) }
            throw error(turn, isFull: isFull, request, context)
        case .waits(let waiter, let turn):
            if passed == nil { context.record(.rateGateHeld(for: now.duration(to: turn)), for: request) }
            return waiter
        }
    }

    /// Continues after a wait. Returns the next waiter, if the call has to wait again.
    @inline(never)
    private func proceed(
        _ waiter: RateWaiter, _ outcome: RateWaiter.Outcome, _ request: HTTPRequest
    ) throws(NetworkError) -> RateWaiter? {
        switch outcome {
        case .released: return try enter(request, waiter.context, after: waiter)
        case .refused(let turn):
            recordWait(of: waiter, request)
            throw error(turn, isFull: false, request, waiter.context)
        case .cancelled:
            recordWait(of: waiter, request)
            throw waiter.context.endOfWait(
                "waited for its turn in the rate gate", at: request.origin, phase: .queue)
        }
    }

    private func recordWait(of waiter: RateWaiter, _ request: HTTPRequest) {
        let now = clock.now
        waiter.context.record(
            .rateGateWaited(waiter.start.duration(to: now)), for: request, at: MonotonicTime(now))
    }

    @inline(never)
    private func outcome(of waiter: RateWaiter) async -> RateWaiter.Outcome {
        await waiter.context.waiting {
            await waiter.outcome()
        } end: { [self] in
            let waited = update { state, _, _ in state.withdraw(waiter) }
            if waited { waiter.tell(.cancelled) }
        }
    }

    /// The wait of a call if it entered now; `nil` if it would pass.
    func outlook(
        _ request: HTTPRequest, _ context: RequestContext
    ) -> (opening: Duration, turn: Duration, isAccepted: Bool)? {
        guard mark.isLimiting, context.rateGate != .ignore else { return nil }
        let now = clock.now
        let key = RateGateKey(request, context, policy)
        guard let outlook = shared.withLock({ $0.state.outlook(key, context, at: now) }) else { return nil }
        return (
            now.duration(to: outlook.opening), now.duration(to: outlook.turn),
            outlook.turn < limit(of: context, at: now) && !outlook.isFull
        )
    }

    /// The latest acceptable turn of a call.
    private func limit(of context: RequestContext, at now: ContinuousClock.Instant) -> ContinuousClock.Instant
    {
        // A hedge does not wait: it would be late, and would add load while a limit is reached.
        guard context.rateGate == .wait, context.attempt.reason != .hedge else { return now }
        let longest = now.adding(policy.longestWait)
        return context.deadline.map { min($0.instant, longest) } ?? longest
    }

    private func error(
        _ turn: ContinuousClock.Instant, isFull: Bool, _ request: HTTPRequest, _ context: RequestContext
    ) -> NetworkError {
        let wait = max(.zero, clock.now.duration(to: turn))
        let isLate = context.deadline.map { $0.instant <= turn } ?? false
        let reason =
            if isFull {
                "more than \(policy.maximumWaiting) calls wait already."
            } else if isLate {
                "the call's turn comes in \(wait.text), after its deadline."
            } else {
                "the call's turn comes in \(wait.text), and it does not wait so long."
            }
        return NetworkError(
            .rateLimited, "The server limits the rate of calls: \(reason)", origin: request.origin,
            phase: .queue, limit: isLate && !isFull ? .call : nil, retryAfter: wait)
    }

    // MARK: Responses

    /// Records a response.
    ///
    /// - Parameter sent: the mark when the call was sent.
    @inline(never)
    package func note(
        _ response: HTTPResponse, to request: HTTPRequest, _ context: RequestContext, sent: UInt64
    ) {
        note(response.status, response.fields, to: request, context, sent: Mark(bits: sent))
    }

    func note(
        _ status: Int, _ all: HTTPFields, to request: HTTPRequest, _ context: RequestContext, sent: Mark
    ) {
        let fields = RateLimitFields(all)
        guard
            mark.isLimiting || status == 429 && policy.statuses.contains(429) || fields.hasLimits
                || fields[.retryAfter] != nil && policy.statuses.contains(status)
        else { return }
        let report = RateLimitReport(fields, unixTime: fields.isEmpty ? .zero : clock.unixTime)
        let key = RateGateKey(request, context, policy)
        update { state, moment, effects in
            state.note(
                report, status: status, key, context, sent: sent.closings, at: moment, &effects)
        }
    }

    // MARK: Limits

    /// A limit that delays calls.
    public struct Limit: Hashable, Sendable {
        /// The origin.
        public let origin: Origin
        /// The server's name of the limit; empty if it has none.
        public let name: String
        /// The time until the gate opens; zero if calls are being released.
        public let closedFor: Duration
        /// The number of calls that wait.
        public let waiting: Int
        /// The maximum number of calls that are released per second.
        public let callsPerSecond: Double
    }

    /// The limits that delay calls now, those with the most waiting calls first.
    public var limits: [Limit] {
        let now = clock.now
        let all = update { state, moment, effects in
            state.advanceAll(at: moment, &effects)
            return state.table.all
        }
        return all.flatMap { key, gates in
            gates.filter { $0.machine.state != .open }.map { gate in
                Limit(
                    origin: key.origin, name: gate.name.shown,
                    closedFor: gate.machine.state == .closed
                        ? now.duration(to: gate.machine.nextSlot) : .zero,
                    waiting: gate.machine.waiting,
                    callsPerSecond: gate.machine.pace.perSecond ?? policy.firstPace)
            }
        }.sorted { $0.waiting > $1.waiting }
    }

    // MARK: Changes

    @discardableResult
    private func update<Result: Sendable>(
        _ body: (inout RateGateState, RateGateState.Moment, inout RateGateState.Effects) -> Result
    ) -> Result {
        let moment = RateGateState.Moment(now: clock.now, jitter: random.unit())
        let (result, told, delivers, unneeded, alarm) = shared.withLock { shared in
            var effects = RateGateState.Effects()
            let result = body(&shared.state, moment, &effects)
            let isLimiting = shared.state.table.limiting > 0
            bits.store(shared.state.closings << 1 | (isLimiting ? 1 : 0), ordering: .relaxed)
            let (unneeded, alarm) = Self.reset(&shared.alarm, to: shared.state.table.alarm)
            return (result, effects.told, shared.events.add(effects.events), unneeded, alarm)
        }
        unneeded?.cancel()
        if let alarm { set(alarm.instant, alarm.number) }
        if delivers { deliver() }
        for (waiter, outcome) in told { waiter.tell(outcome) }
        return result
    }

    /// Reports events in order: by one thread at a time, outside the lock.
    @inline(never)
    private func deliver() {
        while true {
            let events = shared.withLock { $0.events.next() }
            if events.isEmpty { return }
            outlets.record(events)
        }
    }

    // MARK: Alarm

    /// Records when the alarm is due. Returns a task to cancel, and the alarm to set.
    private static func reset(
        _ alarm: inout Alarm, to instant: ContinuousClock.Instant?
    ) -> (unneeded: Task<Void, Never>?, alarm: (instant: ContinuousClock.Instant, number: UInt64)?) {
        // An alarm that is due earlier sets the next one.
        if let instant, let set = alarm.instant, set <= instant { return (nil, nil) }
        guard instant != nil || alarm.instant != nil else { return (nil, nil) }
        let task = alarm.task
        alarm.number += 1
        alarm.instant = instant
        alarm.task = nil
        return (task, instant.map { ($0, alarm.number) })
    }

    private func set(_ instant: ContinuousClock.Instant, _ number: UInt64) {
        let task = Task.detached { [self] in
            var next = instant
            while true {
                do { try await clock.sleep(until: next) } catch { return }
                guard let due = fire(number) else { return }
                next = due
            }
        }
        let isUnneeded = shared.withLock { shared in
            guard shared.alarm.number == number else { return true }
            shared.alarm.task = task
            return false
        }
        if isUnneeded { task.cancel() }
    }

    /// Releases the calls whose turn has come. Returns when the alarm is due next; `nil` if another one is set, or none
    /// is needed.
    private func fire(_ number: UInt64) -> ContinuousClock.Instant? {
        let moment = RateGateState.Moment(now: clock.now, jitter: random.unit())
        let (told, delivers, next) = shared.withLock { shared in
            var effects = RateGateState.Effects()
            guard shared.alarm.number == number else {
                return (effects.told, false, nil as ContinuousClock.Instant?)
            }
            shared.state.advance(at: moment, &effects)
            let isLimiting = shared.state.table.limiting > 0
            bits.store(shared.state.closings << 1 | (isLimiting ? 1 : 0), ordering: .relaxed)
            shared.alarm.instant = shared.state.table.alarm
            if shared.alarm.instant == nil { shared.alarm.task = nil }
            return (effects.told, shared.events.add(effects.events), shared.alarm.instant)
        }
        if delivers { deliver() }
        for (waiter, outcome) in told { waiter.tell(outcome) }
        return next
    }

    // MARK: Events

    /// Reports changes of the gates to an engine's sink from now on.
    package func report(to outlet: EventOutlet) { outlets.add(outlet) }
}

extension RateGate: AttemptGate {
    package var isLimiting: Bool { mark.isLimiting }

    package func admit(_ request: HTTPRequest, _ context: RequestContext) -> UInt64? {
        let mark = mark
        guard mark.isLimiting, context.rateGate != .ignore else { return mark.bits }
        let now = clock.now
        let key = RateGateKey(request, context, policy)
        let opening = shared.withLock { $0.state.outlook(key, context, at: now)?.opening }
        return opening.map { $0 <= now } ?? true ? mark.bits : nil
    }
}

extension RateGate: Redacted {
    /// The number of limits that delay calls, such as `RateGate(2 limits)`.
    public var description: String {
        let count = shared.withLock { $0.state.table.limiting }
        return "RateGate(\(count) limit\(count == 1 ? "" : "s"))"
    }
}

extension RateGateKey {
    init(_ request: HTTPRequest, _ context: RequestContext, _ policy: RateGatePolicy) {
        origin = request.origin
        identity = context.credentials?.identity
        credential = Self.digest(request.fields)
        operation = policy.scope == .operation ? context.operation?.id ?? "" : nil
    }

    /// The credential fields that applications set. Why a separate list: proofs, signatures and tokens that
    /// change with each request would split one limit into many.
    private static let credentialFields: [HTTPField.Name] = [.authorization, "X-API-Key", "Api-Key"]

    private static func digest(_ fields: HTTPFields) -> Int {
        guard fields.contains(where: { credentialFields.contains($0.name) }) else { return 0 }
        var digest = WordDigest.seeded
        for field in fields where credentialFields.contains(field.name) { digest.combine(field.value) }
        return Int(truncatingIfNeeded: digest.value)
    }
}
