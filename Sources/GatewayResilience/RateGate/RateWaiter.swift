import GatewayCore

/// A call that waits for its turn.
final class RateWaiter: Sendable {
    /// How a wait ends.
    enum Outcome: Sendable {
        case released
        case refused(turn: ContinuousClock.Instant)
        case cancelled
    }

    private enum Stage {
        /// → `suspended`; `told`.
        case joined
        /// → `told`.
        case suspended(CheckedContinuation<Outcome, Never>)
        case told(Outcome)
    }

    let id: UInt64
    let key: RateGateKey
    /// The gate.
    let serial: UInt64
    let context: RequestContext
    /// When the call began to wait, at this gate or an earlier one.
    let start: ContinuousClock.Instant
    private let stage = Locked(Stage.joined)

    init(
        id: UInt64, key: RateGateKey, serial: UInt64, context: RequestContext,
        start: ContinuousClock.Instant
    ) {
        self.id = id
        self.key = key
        self.serial = serial
        self.context = context
        self.start = start
    }

    /// Waits for the outcome.
    func outcome() async -> Outcome {
        defer { ThreadSanitizer.acquired(self) }
        return await withCheckedContinuation { continuation in
            let told: Outcome? = stage.withLock { stage in
                if case .told(let outcome) = stage { return outcome }
                stage = .suspended(continuation)
                return nil
            }
            if let told { continuation.resume(returning: told) }
        }
    }

    /// Sets the outcome. Only the first one is used.
    func tell(_ outcome: Outcome) {
        ThreadSanitizer.released(self)
        let continuation: CheckedContinuation<Outcome, Never>? = stage.withLock { stage in
            defer { if case .told = stage {} else { stage = .told(outcome) } }
            if case .suspended(let continuation) = stage { return continuation }
            return nil
        }
        continuation?.resume(returning: outcome)
    }
}
