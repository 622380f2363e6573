public import GatewayCore

/// Rejects calls while the server that they need fails, and detects its recovery by single probes.
///
/// An engine guards its attempts with the breakers of a ``CircuitBreakerRegistry``. Without an engine, a
/// breaker guards any operation:
/// ```swift
/// let breaker = try CircuitBreaker(named: "warehouse", policy: .aggressive)
/// let rows = try await breaker.execute { try await database.rows() }
/// ```
/// A breaker of an engine counts attempts, not calls: with 3 attempts per call, 5 consecutive failures are two calls.
public final class CircuitBreaker: Sendable {
    /// The states of a circuit.
    public enum State: String, Hashable, Sendable {
        /// Calls pass, and failures are counted.
        case closed
        /// Calls are rejected until the open time is over.
        case open
        /// A few calls pass as probes; the others are rejected.
        case halfOpen = "half_open"
        /// Calls are rejected until ``CircuitBreaker/reset()``.
        case isolated
    }

    /// A change of the state.
    public struct Transition: Hashable, Sendable {
        /// The state before.
        public let from: State
        /// The state after.
        public let to: State
        /// When it changed, on the breaker's clock. A change that is caused by time alone is detected by the
        /// next call, and has the instant at which it was due.
        public let instant: ContinuousClock.Instant
        /// How long the circuit stays open; `nil` for other states.
        public let openFor: Duration?
    }

    private struct Shared {
        var machine: CircuitStateMachine
        var changes = DeliveryQueue<Transition>()
        var nextID = 0
        var handlers: [Int: @Sendable (Transition) -> Void] = [:]
        var streams: [Int: AsyncStream<Transition>.Continuation] = [:]
    }

    /// The name, which errors and events contain.
    public let name: String
    /// The policy.
    public let policy: CircuitBreakerPolicy
    /// The breaker of the host, for one of an operation; `nil` for any other.
    let host: CircuitBreaker?
    let origin: Origin?
    let clock: any GatewayClock
    private let random: any RandomSource
    private let network: any NetworkConditionSource
    /// The start of the time in ``CircuitPermit``.
    let start: ContinuousClock.Instant
    private let shared: Locked<Shared>

    /// Makes a closed circuit.
    ///
    /// - Parameters:
    ///   - name: the name in errors and events. It must not be a secret.
    ///   - policy: when it opens and closes.
    ///   - clock: the clock of its time limits.
    ///   - random: the source of the jitter of open times.
    ///   - network: while this source says that there is no network, failures to connect are ignored.
    /// - Throws: ``NetworkError`` with code ``NetworkError/misconfigured``; the message names the property of the policy.
    public convenience init(
        named name: String, policy: CircuitBreakerPolicy = .standard,
        clock: any GatewayClock = SystemClock(), random: any RandomSource = FastRandomSource(),
        network: any NetworkConditionSource = AlwaysOnline()
    ) throws(NetworkError) {
        try NetworkError.check(name, policy.validate)
        self.init(
            name, policy, host: nil, origin: nil, clock: clock, random: random, network: network)
    }

    /// Makes a closed circuit with a valid policy.
    init(
        _ name: String, _ policy: CircuitBreakerPolicy, host: CircuitBreaker?, origin: Origin?,
        clock: any GatewayClock, random: any RandomSource, network: any NetworkConditionSource
    ) {
        self.name = name
        self.policy = policy
        self.host = host
        self.origin = origin
        self.clock = clock
        self.random = random
        self.network = network
        start = clock.now
        shared = Locked(
            Shared(machine: CircuitStateMachine(policy: policy, start: start, jitter: random.unit())))
    }

    deinit {
        let streams = shared.withLock { Array($0.streams.values) }
        for stream in streams { stream.finish() }
    }

    // MARK: State

    /// The state now.
    public var state: State {
        let now = clock.now
        return update { machine in
            machine.advance(to: now)
            return machine.state
        }
    }

    /// How long calls are still rejected; `nil` if one would be admitted, or the circuit is isolated.
    public var retryAfter: Duration? {
        let now = clock.now
        return shared.withLock { $0.machine.peek(at: now) }?.until.map { max(.zero, now.duration(to: $0)) }
    }

    /// Rejects all calls until ``reset()``.
    public func isolate() {
        let now = clock.now
        update { $0.isolate(at: now) }
    }

    /// Closes the circuit and resets its counts.
    public func reset() {
        let now = clock.now
        update { $0.reset(at: now) }
    }

    /// Lets an open circuit probe immediately, as after the network has returned. Has no effect in other
    /// states.
    public func halfOpen() {
        let now = clock.now
        update { $0.halfOpenNow(at: now) }
    }

    /// The changes of the state from now on. Each access makes a stream that buffers the latest 64 changes
    /// and ends when the breaker is released.
    public var transitions: AsyncStream<Transition> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Transition.self, bufferingPolicy: .bufferingNewest(64))
        let id = shared.withLock { shared in
            shared.nextID += 1
            shared.streams[shared.nextID] = continuation
            return shared.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.shared.withLock { $0.streams.removeValue(forKey: id) }
        }
        return stream
    }

    /// Calls a function with each change of the state from now on, in order. It must not block.
    public func onStateChange(_ handler: @escaping @Sendable (Transition) -> Void) {
        shared.withLock { shared in
            shared.nextID += 1
            shared.handlers[shared.nextID] = handler
        }
    }

    // MARK: Calls

    /// Runs an operation, unless the circuit rejects it.
    ///
    /// A returned ``GatewayCore/HTTPResponse`` is judged by its status. An error that is not a
    /// ``GatewayCore/GatewayCallError`` is a failure. A cancelled operation is ignored.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `circuitOpen` if the operation was not run,
    ///   otherwise the error that it throws.
    public func execute<Value>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Value
    ) async throws -> Value {
        let begin = clock.now
        let ticket: CircuitStateMachine.Ticket
        switch admit(at: begin) {
        case .admitted(let admitted): ticket = admitted
        case .rejected(let rejection): throw error(rejection, at: begin, origin: origin)
        }
        do {
            let value = try await operation()
            settle(ticket, .response(status: (value as? HTTPResponse)?.status ?? 200), since: begin)
            return value
        } catch {
            settle(ticket, Self.outcome(of: error), since: begin)
            throw error
        }
    }

    private func settle(
        _ ticket: CircuitStateMachine.Ticket, _ outcome: AdmissionOutcome,
        since begin: ContinuousClock.Instant
    ) {
        let now = clock.now
        settle(ticket, verdict(of: outcome), after: begin.duration(to: now), at: now)
    }

    private static func outcome(of error: any Error) -> AdmissionOutcome {
        guard !Task.isCancelled else { return .failed(NetworkError(.cancelled, "The task was cancelled.")) }
        if let error = error as? NetworkError { return .failed(error) }
        guard let error = error as? any GatewayCallError else {
            return .failed(NetworkError(wrapping: error))
        }
        if let status = error.status { return .response(status: status) }
        return .failed(error.cause as? NetworkError ?? NetworkError(error.code, error.message))
    }

    /// The verdict of the policy. Failures to connect are ignored if there was no network, even briefly.
    func verdict(of outcome: AdmissionOutcome) -> CircuitBreakerPolicy.Verdict {
        let verdict = policy.classify(outcome)
        guard verdict == .failure, case .failed(let error) = outcome,
            error.isConnecting || error.category == .device
        else { return verdict }
        let condition = origin.map { network.condition(for: $0) } ?? network.condition
        return condition.isOnline && !condition.isInterrupted ? verdict : .ignored
    }

    /// Why a call would be rejected; `nil` if it would be admitted.
    func peek(at now: ContinuousClock.Instant) -> CircuitStateMachine.Rejection? {
        shared.withLock { $0.machine.peek(at: now) }
    }

    func admit(at now: ContinuousClock.Instant) -> CircuitStateMachine.Admission {
        update { $0.admit(at: now) }
    }

    func settle(
        _ ticket: CircuitStateMachine.Ticket, _ verdict: CircuitBreakerPolicy.Verdict,
        after duration: Duration?, at now: ContinuousClock.Instant
    ) {
        update { $0.settle(ticket, verdict, after: duration, at: now) }
    }

    /// The error of a rejected call.
    func error(
        _ rejection: CircuitStateMachine.Rejection, at now: ContinuousClock.Instant, origin: Origin?
    ) -> NetworkError {
        let left = rejection.until.map { max(.zero, now.duration(to: $0)) }
        let reason =
            switch rejection.state {
            case .isolated: "is isolated: calls are rejected until it is reset."
            case .halfOpen: "is half-open, and its probes are in progress."
            case .open, .closed: "is open" + (left.map { ": calls are rejected for \($0.text)." } ?? ".")
            }
        return NetworkError(
            .circuitOpen, "The circuit breaker '\(name)' \(reason)", origin: origin, retryAfter: left)
    }

    // MARK: Changes

    @inline(__always)
    private func update<Result: Sendable>(_ body: (inout CircuitStateMachine) -> Result) -> Result {
        let (result, delivers) = shared.withLock { shared in
            let result = body(&shared.machine)
            let hasChanged = !shared.machine.changes.isEmpty
            return (result, hasChanged && shared.changes.add(shared.machine.takeChanges()))
        }
        if delivers { deliver() }
        return result
    }

    /// Reports changes in order: by one thread at a time, outside the lock.
    @inline(never)
    private func deliver() {
        while true {
            let jitter = random.unit()
            let (changes, handlers, streams) = shared.withLock { shared in
                shared.machine.jitter = jitter
                return (shared.changes.next(), Array(shared.handlers.values), Array(shared.streams.values))
            }
            if changes.isEmpty { return }
            for change in changes {
                for handler in handlers { handler(change) }
                for stream in streams { stream.yield(change) }
            }
        }
    }
}

extension CircuitBreaker: Redacted {
    /// The name and the state, such as `CircuitBreaker(https://api.example.com, open)`.
    public var description: String { "CircuitBreaker(\(name), \(state.rawValue))" }
}

extension NetworkError {
    /// Whether the attempt failed before there was a connection.
    var isConnecting: Bool {
        switch phase {
        case .resolve, .connect, .tls: true
        default: code == .dnsFailure || code == .connectionRefused || code == .noConnection
        }
    }
}
