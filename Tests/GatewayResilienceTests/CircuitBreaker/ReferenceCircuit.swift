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

    let policy: CircuitBreakerPolicy
    var periods = [Period(state: .closed, begin: 0)]
    var calls: [Call] = []
    var jitter: Double
    /// What changed, as `from>to@time+open time`.
    var log: [String] = []

    init(policy: CircuitBreakerPolicy, jitter: Double) {
        self.policy = policy
        self.jitter = jitter
    }

    var state: CircuitBreaker.State { periods[periods.count - 1].state }
    private var current: Int { periods.count - 1 }
    private var probeLimit: Int { Self.milliseconds(policy.probeLimit) }

    static func milliseconds(_ duration: Duration) -> Int { Int((duration / .milliseconds(1)).rounded()) }

    /// The probes that are neither settled nor out of time, of all periods.
    func probesInProgress(at now: Int) -> [Call] {
        calls.filter { $0.isProbe && !$0.isSettled && $0.begin + probeLimit > now }
    }

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
        var text = "\(state)>\(next)@\(instant)"
        if next == .open {
            let time = openTime
            until = instant + Int((time / .milliseconds(1)).rounded())
            text += "+\(Self.milliseconds(time))"
        }
        if next != state { log.append(text) }
        periods.append(Period(state: next, begin: instant, until: until))
    }

    mutating func advance(to now: Int) {
        while true {
            if state == .halfOpen {
                let index = current
                let overdue = calls.filter { $0.isProbe && $0.period == index && !$0.isSettled }
                    .map { $0.begin + probeLimit }.min()
                guard let overdue, overdue <= now else { return }
                change(to: .open, at: overdue)
            } else if state == .open, let until = periods[current].until, until <= now {
                change(to: .halfOpen, at: until)
            } else {
                return
            }
        }
    }

    /// Why a call is rejected: `state until time`; `nil` if it is not.
    mutating func rejection(at now: Int) -> String? {
        advance(to: now)
        switch state {
        case .closed: return nil
        case .isolated: return "isolated until nil"
        case .open: return "open until \(periods[current].until.map { "\($0)" } ?? "nil")"
        case .halfOpen:
            let busy = probesInProgress(at: now)
            guard busy.count >= policy.probes else { return nil }
            return "halfOpen until \(busy.map { $0.begin + probeLimit }.min().map { "\($0)" } ?? "nil")"
        }
    }

    mutating func admit(at now: Int) -> String? {
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
            results.reversed().prefix(while: \.isFailure).count >= limit
        {
            return true
        }
        func exceeds(_ rate: CircuitBreakerPolicy.Rate?, _ isHit: (Result) -> Bool) -> Bool {
            guard let rate else { return false }
            let step = Self.milliseconds(rate.window) / 10
            let counted = results.filter { $0.at / step > now / step - 10 }
            return counted.count >= rate.minimumCalls
                && Double(counted.count(where: isHit)) >= rate.share * Double(counted.count)
        }
        return exceeds(policy.failureRate, \.isFailure) || exceeds(policy.slowRate, \.isSlow)
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
