import GatewayCore

/// The state of hedging of an engine: the latencies of operations and the budgets of origins.
package final class Hedging: Sendable {
    /// The group of calls whose latencies are compared.
    enum Key: Hashable, Sendable {
        case operation(Origin, String)
        case method(Origin, HTTPMethod)
    }

    /// A request that may be hedged.
    struct Candidate: Sendable {
        let key: Key
        let begin: ContinuousClock.Instant
        /// The delay before the hedge; `nil` without enough latencies.
        let delay: Duration?
    }

    private struct Entry {
        var estimator = LatencyEstimator()
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
        var budget: HedgeBudget
        var statistics = HedgingStatistics()
    }

    /// The maximum number of operations with latencies.
    static let capacity = 1_024

    let clock: any GatewayClock
    let timer: HedgeTimer
    private let policy: HedgingPolicy
    private let state: Locked<State>

    /// - Parameter policy: a valid policy.
    init(_ policy: HedgingPolicy, clock: any GatewayClock) {
        self.policy = policy
        self.clock = clock
        timer = HedgeTimer(clock: clock)
        state = Locked(State(budget: HedgeBudget(share: policy.maximumShare)))
    }

    /// The statistics so far.
    package var statistics: HedgingStatistics { state.withLock { $0.statistics } }

    /// The number of operations with latencies.
    var keyCount: Int { state.withLock { $0.entries.count } }

    // MARK: Requests

    /// Makes an attempt, and a second one for a `GET` or `HEAD` whose response is slow.
    ///
    /// The head decides for streams. The body of the other response is discarded.
    @inline(never)
    func attempt(
        _ request: HTTPRequest, _ context: RequestContext, over below: some RequestEngine
    ) async throws(NetworkError) -> HTTPResponse {
        guard let candidate = begin(request, context) else {
            return try await below.send(request, context: context)
        }
        guard let delay = candidate.delay else {
            let response = try await below.send(request, context: context)
            record(response, to: candidate)
            return response
        }
        return try await HedgeRace(below, request, context, self, candidate, delay: delay).outcome().get()
    }

    /// Counts a request that may be hedged; `nil` for any other.
    func begin(_ request: HTTPRequest, _ context: RequestContext) -> Candidate? {
        guard Self.mayBeHedged(request, context) else { return nil }
        let key =
            context.operation.map { Key.operation(request.origin, $0.id) }
            ?? Key.method(request.origin, request.method)
        let delay = state.withLock { state -> Duration? in
            state.statistics.requests += 1
            state.budget.recordRequest(to: request.origin)
            if let fixed = policy.fixedDelay { return fixed }
            guard let index = state.entries.index(forKey: key) else { return nil }
            state.uses &+= 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].estimator.estimate.map { max($0, policy.minimumDelay) }
        }
        return Candidate(key: key, begin: clock.now, delay: delay)
    }

    private static func mayBeHedged(_ request: HTTPRequest, _ context: RequestContext) -> Bool {
        guard request.method == .get || request.method == .head, request.body.isEmpty,
            context.isHedged, !context.isLimitedByDeadlineAlone, context.cache != .onlyIfCached
        else { return false }
        // A retry follows a failure of the server, and is not hedged.
        switch context.attempt.reason {
        case .first, .redirect, .replay: return true
        default: return false
        }
    }

    /// Records the latency of a first attempt.
    func record(_ response: HTTPResponse, to candidate: Candidate) {
        guard policy.fixedDelay == nil, !response.isServerFailure else { return }
        let latency = candidate.begin.duration(to: clock.now)
        state.withLock { state in
            if let index = state.entries.index(forKey: candidate.key) {
                state.entries.values[index].estimator.record(latency, percentile: policy.percentile)
                return
            }
            if state.entries.count >= Self.capacity { Self.removeUnused(&state.entries) }
            state.uses &+= 1
            var entry = Entry(lastUse: state.uses)
            entry.estimator.record(latency, percentile: policy.percentile)
            state.entries[candidate.key] = entry
        }
    }

    /// Removes an eighth of the operations, so that not every new one needs a search of all of them.
    private static func removeUnused(_ entries: inout [Key: Entry]) {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(capacity / 8)
        for (key, _) in oldest { entries[key] = nil }
    }

    // MARK: Hedges

    /// Counts a hedge that was not sent because the first attempt waits too.
    func skip() { state.withLock { $0.statistics.drops += 1 } }

    /// Takes a token for a hedge; `false` if there is none.
    func take(_ request: HTTPRequest, _ context: RequestContext) -> Bool {
        let decision = state.withLock { state in
            let decision = state.budget.takeHedge(to: request.origin)
            if decision != .granted { state.statistics.refusals += 1 }
            return decision
        }
        if decision == .refused(isFirst: true) { context.record(.hedgeBudgetExhausted, at: request.origin) }
        return decision == .granted
    }

    /// Returns the token of a hedge that was not sent.
    func giveBack(_ request: HTTPRequest) { state.withLock { $0.budget.returnHedge(to: request.origin) } }

    /// Counts a hedge that was not sent, and returns its token.
    func drop(_ request: HTTPRequest) {
        state.withLock { state in
            state.budget.returnHedge(to: request.origin)
            state.statistics.drops += 1
        }
    }

    /// Counts a hedge that is sent.
    func countHedge() { state.withLock { $0.statistics.hedges += 1 } }

    /// Counts a hedge whose response was used.
    func countWin() { state.withLock { $0.statistics.wins += 1 } }
}

extension HTTPResponse {
    /// Whether another attempt may get a better response.
    var isServerFailure: Bool { status >= 500 || status == 429 }
}
