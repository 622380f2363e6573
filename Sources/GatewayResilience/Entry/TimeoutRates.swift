import GatewayCore

/// Counts the timeouts of an engine's calls, and reports operations with a high rate.
final class TimeoutRates: Sendable {
    private let machine: Locked<TimeoutRateStateMachine>

    init(_ alert: TimeoutAlert, clock: any GatewayClock) {
        machine = Locked(TimeoutRateStateMachine(alert, start: clock.time))
    }

    /// Records the end of a call.
    func record(
        _ code: NetworkError.Code?, of request: HTTPRequest, _ context: RequestContext,
        at now: MonotonicTime
    ) {
        guard code != .cancelled, code?.isLocalRejection != true else { return }
        let key = TimeoutRateStateMachine.Key(origin: request.origin, operation: context.operation)
        let isTimeout = code == .timeout
        switch machine.withLock({ $0.record(key, isTimeout: isTimeout, now: now) }) {
        case .exceeded(let rate, let calls):
            context.record(
                .timeoutRateExceeded(operation: context.operation, rate: rate, calls: calls),
                at: request.origin)
        case .recovered:
            context.record(.timeoutRateRecovered(operation: context.operation), at: request.origin)
        case nil: break
        }
    }
}
