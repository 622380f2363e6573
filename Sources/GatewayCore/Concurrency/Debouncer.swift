/// Delivers only the last of several values, after no other value was submitted for some time.
///
/// ```swift
/// let search = try Debouncer<String>(delay: .milliseconds(300)) { text in await model.search(text) }
/// search.submit("s")
/// search.submit("sw")
/// search.submit("swift")   // searched for 300 ms later; the other two are not
/// ```
/// Values are delivered one at a time. A value that is submitted during a delivery is delivered after its end. A
/// pending value is delivered even if the debouncer is released.
public final class Debouncer<Value: Sendable>: Sendable {
    private let clock: any GatewayClock
    private let action: @Sendable (Value) async -> Void
    private let machine: Locked<DebounceStateMachine<Value>>

    /// Creates a debouncer.
    ///
    /// - Parameters:
    ///   - delay: the time without another value before a value is delivered; greater than 0.
    ///   - clock: the clock of the delay.
    ///   - action: receives the value.
    /// - Throws: ``NetworkError`` with the code ``NetworkError/misconfigured`` if the delay is not positive.
    public init(
        delay: Duration, clock: any GatewayClock = SystemClock(),
        action: @escaping @Sendable (Value) async -> Void
    ) throws(NetworkError) {
        try NetworkError.require(delay > .zero, "delay", "must be more than 0")
        self.clock = clock
        self.action = action
        machine = Locked(DebounceStateMachine(delay: delay))
    }

    /// Replaces the pending value and restarts the delay.
    public func submit(_ value: Value) {
        let now = clock.now
        guard machine.withLock({ $0.submit(value, at: now) }) else { return }
        Task { await self.runTimer() }
    }

    /// Drops the pending value, if there is one. A delivery in progress is not cancelled.
    public func cancel() { machine.withLock { $0.cancel() } }

    private func runTimer() async {
        while true {
            let now = clock.now
            switch machine.withLock({ $0.step(at: now) }) {
            case .sleep(let instant): try? await clock.sleep(until: instant)
            case .deliver(let value): await action(value)
            case .stop: return
            }
        }
    }
}

extension Debouncer: Redacted {}
