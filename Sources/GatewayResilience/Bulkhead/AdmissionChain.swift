import GatewayCore

/// An admission control whose waiters are turned away when the circuit breaker that guards them opens.
protocol GuardedAdmission: AdmissionControl {
    /// Waits for a permit.
    ///
    /// - Parameter breaker: the circuit breaker that guards the attempt; `nil` for none.
    func enter(
        _ request: HTTPRequest, context: RequestContext, guardedBy breaker: CircuitBreaker?
    ) async throws(NetworkError) -> any AdmissionPermit
}

/// Two admission controls: an attempt that waits for the first one has no permit of the second.
struct AdmissionChain: GuardedAdmission {
    let first: any AdmissionControl
    let second: any GuardedAdmission

    func enterNow(
        _ request: HTTPRequest, context: RequestContext
    ) throws(NetworkError) -> (any AdmissionPermit)? { nil }

    func enter(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> any AdmissionPermit {
        try await enter(request, context: context, guardedBy: nil)
    }

    func enter(
        _ request: HTTPRequest, context: RequestContext, guardedBy breaker: CircuitBreaker?
    ) async throws(NetworkError) -> any AdmissionPermit {
        let permit = try await first.enter(request, context: context)
        do {
            return JointPermit(
                permit, try await second.enter(request, context: context, guardedBy: breaker))
        } catch {
            permit.end(.notSent)
            throw error
        }
    }

    func priorityRaised(_ context: RequestContext) {
        first.priorityRaised(context)
        second.priorityRaised(context)
    }
}

/// Two permits of an attempt.
final class JointPermit: AdmissionPermit {
    private let first: any AdmissionPermit
    private let second: any AdmissionPermit

    init(_ first: any AdmissionPermit, _ second: any AdmissionPermit) {
        self.first = first
        self.second = second
    }

    func end(_ outcome: AdmissionOutcome) {
        first.end(outcome)
        second.end(outcome)
    }

    func responded(status: Int) -> (any AdmissionPermit)? {
        let first = first.responded(status: status)
        guard let second = second.responded(status: status) else { return first }
        return first.map { JointPermit($0, second) } ?? second
    }
}
