/// Delivers the last of several values, once no other has followed it for a time.
///
/// ```swift
/// let search = try Debouncer<String>(delay: .milliseconds(300)) { text in await model.search(text) }
/// search.submit("s")
/// search.submit("sw")
/// search.submit("swift")   // searched for 300 ms later; the other two are not
/// ```
/// Values are delivered one at a time. A value that is submitted during a delivery waits for its end. A value that waits is
/// delivered even if the debouncer is released.
public final class Debouncer<Value: Sendable>: Sendable {
    private let clock: any GatewayClock
    private let action: @Sendable (Value) async -> Void
    private let machine: Locked<DebounceStateMachine<Value>>

    /// Creates a debouncer.
    ///
    /// - Parameters:
    ///   - delay: how long no other value must follow, more than 0.
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

    /// Replaces the value that waits and starts its delay anew.
    public func submit(_ value: Value) {
        let now = clock.now
        guard machine.withLock({ $0.submit(value, at: now) }) else { return }
        Task { await self.runTimer() }
    }

    /// Drops the value that waits, if there is one. A delivery in progress is not cancelled.
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
