public import GatewayCore

/// Retries any operation according to a retry policy.
///
/// ```swift
/// let rows = try await RetryExecutor(.attempts(3)).execute { try await database.rows() }
/// ```
/// An engine retries its own requests.
public struct RetryExecutor: Sendable {
    private let policy: any RetryPolicy
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?

    /// Makes an executor.
    ///
    /// - Parameters:
    ///   - policy: when to try again.
    ///   - onRetry: called before each retry delay, with the outcome of the attempt and the delay; must not
    ///     block.
    ///   - clock: the clock of delays.
    ///   - random: the source of jitter.
    public init(
        _ policy: any RetryPolicy = .standard,
        onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)? = nil,
        clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) {
        self.policy = policy
        self.onRetry = onRetry
        self.clock = clock
        self.random = random
    }

    /// Runs an operation until it succeeds or the policy allows no further attempt.
    ///
    /// - Parameters:
    ///   - isIdempotent: whether the operation may be repeated after an attempt that may have had an effect.
    ///     If not, another attempt follows only a ``GatewayCore/NetworkError`` of a request that was not
    ///     sent.
    ///   - deadline: when no further attempt begins; `nil` for the limit of the task only
    ///     (``GatewayCore/Deadline/ambient``).
    ///   - isolation: the actor that the operation runs on: the caller's.
    ///   - operation: the operation.
    /// - Throws: the error of the last attempt; if that was a local rejection, such as an open circuit, the error of the
    ///   attempt before it. A cancelled task makes no further attempt.
    public func execute<Value: Sendable>(
        isIdempotent: Bool = true, deadline: Deadline? = nil,
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value
    ) async throws -> Value {
        let deadline = Deadline.earliest(deadline, Deadline.ambient)
        var attempt = 1
        // The error of the last attempt that was not rejected locally.
        var earlier: (any Error)?
        while true {
            do {
                return try await operation()
            } catch {
                let cause = NetworkError(wrapping: error)
                let isRejected = cause.isLocalRejection && cause.code != .closed
                let failure = isRejected ? earlier ?? error : error
                if !isRejected { earlier = error }
                // An operation is not a request: GET represents an idempotent operation, POST any other.
                let outcome = AttemptOutcome(
                    attempt: attempt, method: isIdempotent ? .get : .post,
                    error: cause.code == .other
                        ? NetworkError(
                            .connectionLost, cause.message, mayHaveBeenSent: true, underlying: error)
                        : cause,
                    retryAfter: cause.retryAfter, remaining: deadline?.remaining(at: clock.time))
                guard !Task.isCancelled, cause.code != .cancelled,
                    outcome.isReplaySafe || policy.repeatsUnsafeRequests,
                    case .retry(let delay) = policy.decision(after: outcome, random: random)
                else { throw failure }
                let wait = max(delay.bounded, .zero)
                if let remaining = outcome.remaining, remaining <= wait { throw failure }
                onRetry?(outcome, wait)
                do { try await clock.sleep(until: clock.now.adding(wait)) } catch { throw failure }
                attempt += 1
            }
        }
    }
}

/// Runs an operation that is cancelled when a time limit passes. Its calls inherit the limit as their
/// deadline (``GatewayCore/Deadline/ambient``).
///
/// - Parameters:
///   - limit: the maximum duration; zero or less fails immediately.
///   - clock: the clock of the limit.
///   - operation: the operation. It must observe cancellation: the function returns when it has ended.
/// - Throws: ``GatewayCore/NetworkError`` with the code `timeout` if the limit passed first, otherwise the
///   error of the operation.
public func executeWithTimeout<Value: Sendable>(
    _ limit: Duration, clock: any GatewayClock = SystemClock(),
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let deadline = Deadline.after(limit, clock: clock)
    let timeout = NetworkError(.timeout, "The operation took longer than \(limit.text).", phase: .call)
    guard !deadline.hasPassed(at: clock.time) else { throw timeout }
    return try await withThrowingTaskGroup(of: RaceEnd<Value>.self) { group in
        group.addTask { .value(try await withDeadline(deadline) { try await operation() }) }
        group.addTask {
            // If the caller is cancelled, the operation decides the result.
            do { try await clock.sleep(until: deadline.instant) } catch { return .alarmCancelled }
            return .late
        }
        defer { group.cancelAll() }
        while let end = try await group.next() {
            switch end {
            case .value(let value): return value
            case .late: throw timeout
            case .alarmCancelled: continue
            }
        }
        throw timeout
    }
}

/// How one side of ``executeWithTimeout(_:clock:_:)`` ended.
private enum RaceEnd<Value: Sendable>: Sendable {
    case value(Value)
    case late
    case alarmCancelled
}
