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

extension AdmissionControl {
    /// Waits for a permit, guarded by a circuit breaker where that is possible.
    func enter(
        _ request: HTTPRequest, context: RequestContext, by breaker: CircuitBreaker?
    ) async throws(NetworkError) -> any AdmissionPermit {
        guard let guarded = self as? any GuardedAdmission else {
            return try await enter(request, context: context)
        }
        return try await guarded.enter(request, context: context, guardedBy: breaker)
    }
}

extension AdmissionChain: GuardedAdmission {
    func enter(
        _ request: HTTPRequest, context: RequestContext, guardedBy breaker: CircuitBreaker?
    ) async throws(NetworkError) -> any AdmissionPermit {
        let permit = try await first.enter(request, context: context, by: breaker)
        do {
            return JointPermit(permit, try await second.enter(request, context: context, by: breaker))
        } catch {
            permit.end(.notSent)
            throw error
        }
    }
}
