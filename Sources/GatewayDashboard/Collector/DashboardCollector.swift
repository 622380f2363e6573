import GatewayCore
import GatewayResilience
import GatewayTelemetry
import Synchronization

/// Keeps what the page shows: ten minutes of history, the latest, failed and slowest calls with their steps, and what happened to
/// tokens, circuit breakers and limits. Memory is bounded.
///
/// An event of a call changes the record of the call, which few threads share; only the beginning and the end of a call change
/// what all calls share.
final class DashboardCollector: RequestEventSink, EventDistributing, EngineHealthObserver {
    /// What all calls share.
    struct Shared: Sendable {
        var history = History()
        var sparklines: Sparklines
        var calls = KeptCalls()
        var failures = FailureTally()
        var tokens = TokenLanes()
        var breakers = BreakerNotes()
        var cache = CacheCounts()
        var log = EventLog()
    }

    private struct State {
        var shared: Shared
        /// Records of calls that nobody has any more, for further calls.
        var spare: [CallRecord] = []
    }

    private static let spareLimit = 64

    private struct Sources {
        var next = 0
        var all: [Int: @Sendable () async -> EngineHealth?] = [:]
    }

    /// The metrics that the windows are read from.
    let metrics: RequestMetricsCollector
    /// Whether the metrics get their events from this collector.
    private let ownsMetrics: Bool
    let clock: any GatewayClock
    let start: MonotonicTime
    private let unixStarts: Locked<Duration>
    let open: OpenCalls
    private let state: Locked<State>
    private let sources = Locked(Sources())
    /// Whether somebody looks at the page: phases of exchanges are collected only then.
    private let watched = Atomic(false)

    /// - Parameters:
    ///   - metrics: the metrics of the same calls; `nil` for some of its own.
    ///   - clock: the clock of the engine.
    ///   - openLimit: the maximum number of calls in progress that are tracked.
    init(metrics: RequestMetricsCollector?, clock: any GatewayClock, openLimit: Int = 10_000) {
        self.metrics = metrics ?? RequestMetricsCollector(clock: clock)
        ownsMetrics = metrics == nil
        self.clock = clock
        start = clock.time
        unixStarts = Locked(clock.unixTime)
        open = OpenCalls(limit: openLimit)
        state = Locked(State(shared: Shared(sparklines: Sparklines(limit: 256))))
    }

    private static let unwatchedInterests: EventInterests = [.calls, .attempts, .tokens, .state]

    var interests: EventInterests {
        watched.load(ordering: .relaxed) ? .all : Self.unwatchedInterests
    }

    var isWatched: Bool {
        get { watched.load(ordering: .relaxed) }
        set { watched.store(newValue, ordering: .relaxed) }
    }

    var receivers: [any RequestEventSink] { ownsMetrics ? [metrics] : [] }

    // MARK: Engines

    func observe(_ health: @escaping @Sendable () async -> EngineHealth?) {
        sources.withLock { sources in
            // The engines of a program live long. Where one is made for each call, the newest ones are shown.
            if sources.all.count >= 16, let oldest = sources.all.keys.min() { sources.all[oldest] = nil }
            sources.all[sources.next] = health
            sources.next += 1
        }
    }

    /// Whether an engine was made that is not known to be gone.
    var hasEngines: Bool { sources.withLock { !$0.all.isEmpty } }

    /// The states of the engines, in the order in which they were made. Engines that are gone are forgotten.
    func healths() async -> [EngineHealth] {
        var healths: [EngineHealth] = []
        for (id, source) in sources.withLock({ $0.all }).sorted(by: { $0.key < $1.key }) {
            if let health = await source() {
                healths.append(health)
            } else {
                sources.withLock { _ = $0.all.removeValue(forKey: id) }
            }
        }
        return healths
    }

    // MARK: Reading

    /// When the collector was made, by the clock of the machine as it is set now. It stays the same until that clock is set.
    var unixStart: Duration {
        let start = clock.unixTime - start.duration(to: clock.time)
        return unixStarts.withLock { known in
            let step = known.wholeMilliseconds.subtractingClamped(start.wholeMilliseconds)
            if step.magnitude > 1_000 { known = start }
            return known
        }
    }

    /// The nanoseconds from the start to now.
    var now: UInt64 { time(of: clock.time) }

    /// The nanoseconds from the start to a time; 0 for earlier ones.
    func time(of time: MonotonicTime) -> UInt64 { start.duration(to: time).metricNanoseconds }

    /// A copy of what all calls share.
    func copy() -> Shared { state.withLock { $0.shared } }

    @inline(__always)
    private func change(_ body: (inout Shared) -> Void) { state.withLock { body(&$0.shared) } }

    // MARK: Recording

    func record(_ event: borrowing TokenEvent) {
        if ownsMetrics { metrics.record(event) }
        let event = copy event
        let time = time(of: MonotonicTime(event.instant))
        change { shared in
            guard let (lane, shown) = shared.tokens.add(event, at: time) else { return }
            if let line = EventLog.Line(shown, of: lane) { shared.log.add(line) }
        }
    }

    func record(_ event: borrowing StateEvent) {
        if ownsMetrics { metrics.record(event) }
        let event = copy event
        let time = time(of: MonotonicTime(event.instant))
        change { shared in
            shared.breakers.add(event, at: time)
            switch event.kind {
            case .cacheEvicted(let count): shared.cache.evict(count)
            case .cacheStoreFailed: shared.cache.failStore()
            default: break
            }
            if let line = EventLog.Line(event, at: time) { shared.log.add(line) }
        }
    }

    func record(_ event: borrowing RequestEvent) {
        // Timings are collected for the page alone.
        if case .exchanged(let timings) = event.kind {
            let number = event.attempt.number
            return open.change(event.callID) { $0.note(timings, ofAttempt: number) }
        }
        if ownsMetrics { metrics.record(event) }
        // What the closures need is taken out first: a copy of the whole event takes longer than to record it.
        let (id, time) = (event.callID, time(of: event.time))
        switch event.kind {
        case .started: begin(event, at: time)
        case .attemptStarted:
            let attempt = event.attempt
            open.change(id) { $0.add(CallStep(.attempt(attempt), begin: time)) }
        case .attemptEnded(let end):
            let number = event.attempt.number
            open.change(id) { $0.endAttempt(number, end, at: time) }
        case .succeeded(let status, let attempts, let duration):
            end(event, .status(status), attempts, duration, at: time)
        case .failed(let cause, let attempts, let duration):
            end(event, .error(cause), attempts, duration, at: time)
        case .cancelled(let attempts, let duration): end(event, .cancelled, attempts, duration, at: time)
        case .deduplicated(let leader):
            open.change(id) { $0.join(leader, at: time) }
            open.change(leader) { $0.addFollower(id) }
        case .retryScheduled(let delay, let status, let error):
            let result = CallStep.Result(status: status, error: error)
            open.change(id) {
                $0.add(CallStep(.retry, begin: time, nanoseconds: delay.metricNanoseconds, result: result))
            }
            change { $0.history.retry(at: time) }
        case .cacheLookedUp(let result):
            var isRepeated = false
            open.change(id) { isRepeated = $0.lookUp(result, at: time) }
            if !isRepeated { change { $0.cache.lookUp(result, at: time) } }
        case .cacheStored(let bytes):
            mark(.cacheStored(bytes: bytes), of: id, at: time)
            change { $0.cache.store() }
        case .credentialWaited(let duration): waited(.token, duration, of: id, until: time)
        case .rateGateWaited(let duration): waited(.rateGate, duration, of: id, until: time)
        case .admissionWaited(let duration): waited(.admission, duration, of: id, until: time)
        case .rateGateHeld(let duration): mark(.rateLimited(for: duration), of: id, at: time)
        case .hedged: mark(.hedged, of: id, at: time)
        case .hedgeDecided(let outcome): mark(.hedgeDecided(outcome), of: id, at: time)
        case .notRetried(let refusal, let status, let error):
            mark(.notRetried(refusal), CallStep.Result(status: status, error: error), of: id, at: time)
        case .redirected(let status, let target):
            mark(.redirected(to: target), .status(status), of: id, at: time)
        case .credentialRejected(let generation): mark(.rejected(generation: generation), of: id, at: time)
        case .replayed(let generation): mark(.replayed(generation: generation), of: id, at: time)
        // They follow the end of the call.
        case .fallbackUsed(let step, let status, let error):
            let step = CallStep(
                .fallback(step: step), begin: time, result: CallStep.Result(status: status, error: error))
            change { $0.calls.add(step, to: id, where: \.isFailed) }
        case .bodyFailed(let cause):
            let step = CallStep(.bodyFailed, begin: time, result: .error(cause.code, phase: cause.phase))
            change { $0.calls.add(step, to: id) { _ in true } }
        case .exchanged: break
        }
    }

    private func mark(_ kind: CallStep.Kind, _ result: CallStep.Result? = nil, of id: UInt64, at time: UInt64)
    {
        open.change(id) { $0.add(CallStep(kind, begin: time, result: result)) }
    }

    /// Adds a wait that has ended.
    private func waited(_ kind: CallStep.Kind, _ duration: Duration, of id: UInt64, until time: UInt64) {
        let waited = duration.metricNanoseconds
        guard waited > 0 else { return }
        open.change(id) { $0.add(CallStep(kind, begin: time - min(time, waited), nanoseconds: waited)) }
    }

    private func begin(_ event: borrowing RequestEvent, at time: UInt64) {
        let spare = state.withLock { state in
            state.shared.history.begin(at: time)
            return state.spare.popLast()
        }
        if let spare {
            spare.restart(event, begin: time)
            open.begin(spare)
        } else {
            open.begin(CallRecord(event, begin: time))
        }
    }

    private func end(
        _ event: borrowing RequestEvent, _ outcome: CallRecord.Outcome, _ attempts: Int,
        _ duration: Duration, at time: UInt64
    ) {
        let nanoseconds = duration.metricNanoseconds
        let call: CallRecord
        if let known = open.end(event.callID) {
            call = known
        } else {
            call = CallRecord(event, begin: time - min(time, nanoseconds))
        }
        var end = CallRecord.End(outcome: outcome, attempts: attempts, time: time, nanoseconds: nanoseconds)
        if let trace = event.trace { end.trace = (trace.traceIDHigh, trace.traceIDLow) }
        call.close(end)
        let failure = FailureTally.Key(outcome, of: call.operation, at: call.origin)
        state.withLock { state in
            state.shared.history.end(outcome, nanoseconds: nanoseconds, at: time)
            state.shared.sparklines.count(call.operation, at: time)
            if let failure { state.shared.failures.count(failure, at: time) }
            if let spare = state.shared.calls.add(call), state.spare.count < Self.spareLimit {
                state.spare.append(spare)
            }
        }
    }
}
