import GatewayCore

/// A call that waits for a permit. It receives only the first outcome.
final class BulkheadWaiter: Sendable {
    enum Outcome: Sendable {
        /// It has a permit, of the origin with this number.
        case admitted(Int)
        case rejected(BulkheadRejection)
        /// The circuit breaker that guards the call has opened.
        case circuitOpened(NetworkError)
        case cancelled
    }

    private enum Stage {
        /// → `suspended`, `told`.
        case joined
        /// → `told`.
        case suspended(CheckedContinuation<Outcome, Never>)
        /// Final.
        case told(Outcome)
    }

    /// The circuit breaker that guards the call.
    let breaker: CircuitBreaker?
    private let stage = Locked(Stage.joined)

    init(guardedBy breaker: CircuitBreaker?) { self.breaker = breaker }

    /// Waits for the outcome.
    func outcome() async -> Outcome {
        defer { ThreadSanitizer.acquired(self) }
        return await withCheckedContinuation { continuation in
            let told = stage.withLock { stage -> Outcome? in
                if case .told(let outcome) = stage { return outcome }
                stage = .suspended(continuation)
                return nil
            }
            if let told { continuation.resume(returning: told) }
        }
    }

    /// Tells the outcome.
    func tell(_ outcome: Outcome) {
        let continuation = stage.withLock { stage -> CheckedContinuation<Outcome, Never>? in
            defer { stage = .told(outcome) }
            if case .suspended(let continuation) = stage { return continuation }
            return nil
        }
        ThreadSanitizer.released(self)
        continuation?.resume(returning: outcome)
    }
}
