import GatewayCore
import Synchronization

/// The retry budgets of an engine's origins.
final class OriginRetryBudgets: Sendable {
    private let machine: Locked<RetryBudgetStateMachine>
    /// Whether all budgets are full, so that requests need not be recorded.
    private let isIdle = Atomic(true)

    init(_ budget: RetryBudget) { machine = Locked(RetryBudgetStateMachine(budget)) }

    /// Whether a retry takes a token. It does not after a local rejection or a failure of the credential,
    /// because the attempt was not sent and the next one replaces it; nor if the budget does not limit the
    /// call.
    static func takesToken(after error: NetworkError?, _ context: RequestContext) -> Bool {
        guard context.isLimitedByRetryBudget else { return false }
        guard let code = error?.code else { return true }
        return !code.isLocalRejection && !code.concernsCredential
    }

    /// Records the first attempt of a call or a hop.
    @inline(__always)
    func recordRequest(_ request: HTTPRequest, _ context: RequestContext, clock: any GatewayClock) {
        if !isIdle.load(ordering: .relaxed) { record(request, context, clock) }
    }

    @inline(never)
    private func record(_ request: HTTPRequest, _ context: RequestContext, _ clock: any GatewayClock) {
        switch context.attempt.reason {
        case .first, .redirect: break
        default: return
        }
        let now = clock.now
        let hasRecovered = update { $0.recordRequest(to: request.origin, now: now) }
        if hasRecovered { context.record(.retryBudgetRecovered, at: request.origin) }
    }

    /// Takes a token for a retry; `false` if there is none.
    func takeRetry(_ request: HTTPRequest, _ context: RequestContext, clock: any GatewayClock) -> Bool {
        let now = clock.now
        switch update({ $0.takeRetry(to: request.origin, now: now) }) {
        case .granted: return true
        case .refused(let isFirst):
            if isFirst { context.record(.retryBudgetExhausted, at: request.origin) }
            return false
        }
    }

    /// Returns the token of a retry that was not made.
    func returnRetry(_ request: HTTPRequest, _ context: RequestContext, clock: any GatewayClock) {
        let now = clock.now
        let hasRecovered = update { $0.returnRetry(to: request.origin, now: now) }
        if hasRecovered { context.record(.retryBudgetRecovered, at: request.origin) }
    }

    /// The budgets that are not full.
    func states(at now: ContinuousClock.Instant) -> [Origin: EngineHealth.RetryBudgetState] {
        isIdle.load(ordering: .relaxed) ? [:] : machine.withLock { $0.states(at: now) }
    }

    private func update<Value: Sendable>(_ change: (inout RetryBudgetStateMachine) -> Value) -> Value {
        machine.withLock { machine in
            let value = change(&machine)
            let isIdle = machine.isIdle
            if self.isIdle.load(ordering: .relaxed) != isIdle {
                self.isIdle.store(isIdle, ordering: .relaxed)
            }
            return value
        }
    }
}
