import GatewayCore

@testable import GatewayResilience

/// A circuit that keeps everything that ever happened, and works out each answer from that: no counters, no slots, no
/// windows. Slow and independent of ``CircuitStateMachine``. Times are milliseconds.
struct ReferenceCircuit {
    /// A stretch of time in one state.
    struct Period {
        let state: CircuitBreaker.State
        let begin: Int
        /// When an open period ends.
        var until: Int?
        /// The verdicts that count, in order.
        var results: [Result] = []
    }

    struct Result {
        let at: Int
        let isFailure: Bool
        let isSlow: Bool
    }

    struct Call {
        let period: Int
        let isProbe: Bool
        let begin: Int
        var isSettled = false
    }

    /// A change of the state, and for how long the circuit is open then.
    struct Change: Equatable {
        let from: CircuitBreaker.State
        let to: CircuitBreaker.State
        let at: Int
        var openFor: Int?
    }

    /// Why a call is rejected, and until when.
    struct Rejection: Equatable {
        let state: CircuitBreaker.State
        let until: Int?
    }

    let policy: CircuitBreakerPolicy
    var periods = [Period(state: .closed, begin: 0)]
    var calls: [Call] = []
    var jitter: Double
    /// The changes that the test has not taken.
    var changes: [Change] = []
    private let probeLimit: Int

    init(policy: CircuitBreakerPolicy, jitter: Double) {
        self.policy = policy
        self.jitter = jitter
        probeLimit = Self.milliseconds(policy.probeLimit)
    }

    var state: CircuitBreaker.State { periods[periods.count - 1].state }
    private var current: Int { periods.count - 1 }

    static func milliseconds(_ duration: Duration) -> Int { Int((duration / .milliseconds(1)).rounded()) }

    /// When the probes that are neither settled nor out of time, of all periods, are due.
    func probesInProgress(at now: Int) -> [Int] {
        var due: [Int] = []
        for call in calls where call.isProbe && !call.isSettled && call.begin + probeLimit > now {
            due.append(call.begin + probeLimit)
        }
        return due
    }

    /// When the current state ends by itself; `nil` if it does not.
    var openUntil: Int? { periods[current].until }

    /// How long the circuit opens next: doubled for each time that it opened since it was last closed or reset.
    private var openTime: Duration {
        let lastClosed = periods.lastIndex { $0.state == .closed } ?? 0
        let times = periods[lastClosed...].count { $0.state == .open }
        var time = policy.openFor
        for _ in 0..<times { time = min(time * 2, policy.longestOpen) }
        return min(
            .milliseconds((Double(Self.milliseconds(time)) * (90 + 20 * jitter) / 100).rounded()),
            policy.longestOpen)
    }

    private mutating func change(to next: CircuitBreaker.State, at instant: Int) {
        var until: Int?
        var change = Change(from: state, to: next, at: instant)
        if next == .open {
            let time = Self.milliseconds(openTime)
            until = instant + time
            change.openFor = time
        }
        if next != state { changes.append(change) }
        periods.append(Period(state: next, begin: instant, until: until))
    }

    mutating func advance(to now: Int) {
        while true {
            if state == .halfOpen {
                var overdue = Int.max
                for call in calls where call.isProbe && call.period == current && !call.isSettled {
                    overdue = min(overdue, call.begin + probeLimit)
                }
                guard overdue <= now else { return }
                change(to: .open, at: overdue)
            } else if state == .open, let until = periods[current].until, until <= now {
                change(to: .halfOpen, at: until)
            } else {
                return
            }
        }
    }

    /// `nil` if a call is not rejected.
    mutating func rejection(at now: Int) -> Rejection? {
        advance(to: now)
        switch state {
        case .closed: return nil
        case .isolated: return Rejection(state: .isolated, until: nil)
        case .open: return Rejection(state: .open, until: openUntil)
        case .halfOpen:
            let busy = probesInProgress(at: now)
            return busy.count < policy.probes ? nil : Rejection(state: .halfOpen, until: busy.min())
        }
    }

    mutating func admit(at now: Int) -> Rejection? {
        if let rejection = rejection(at: now) { return rejection }
        calls.append(Call(period: current, isProbe: state == .halfOpen, begin: now))
        return nil
    }

    mutating func settle(_ call: Int, _ verdict: CircuitBreakerPolicy.Verdict, took: Int, at now: Int) {
        advance(to: now)
        calls[call].isSettled = true
        guard calls[call].period == current, verdict != .ignored else { return }
        let isSlow = policy.slowAfter.map { took >= Self.milliseconds($0) } ?? false
        periods[current].results.append(Result(at: now, isFailure: verdict == .failure, isSlow: isSlow))
        let results = periods[current].results
        if state == .halfOpen {
            if verdict == .failure || isSlow && policy.slowRate != nil {
                change(to: .open, at: now)
            } else if results.count == policy.successesToClose {
                change(to: .closed, at: now)
            }
        } else if opens(results, now) {
            change(to: .open, at: now)
        }
    }

    private func opens(_ results: [Result], _ now: Int) -> Bool {
        if let limit = policy.consecutiveFailures,
            results.count - 1 - (results.lastIndex { !$0.isFailure } ?? -1) >= limit
        {
            return true
        }
        func exceeds(_ rate: CircuitBreakerPolicy.Rate?, _ isHit: (Result) -> Bool) -> Bool {
            guard let rate else { return false }
            let step = Self.milliseconds(rate.window) / 10
            var (calls, hits) = (0, 0)
            for result in results where result.at / step > now / step - 10 {
                calls += 1
                if isHit(result) { hits += 1 }
            }
            return calls >= rate.minimumCalls && Double(hits) >= rate.share * Double(calls)
        }
        return exceeds(policy.failureRate) { $0.isFailure } || exceeds(policy.slowRate) { $0.isSlow }
    }

    mutating func isolate(at now: Int) {
        advance(to: now)
        if state != .isolated { change(to: .isolated, at: now) }
    }

    mutating func reset(at now: Int) {
        advance(to: now)
        change(to: .closed, at: now)
    }

    mutating func halfOpenNow(at now: Int) {
        advance(to: now)
        if state == .open { change(to: .halfOpen, at: now) }
    }
}
