public import GatewayCore

/// Follows the network and the calls, and tells their state in one line for people.
///
/// ```swift
/// let status = NetworkStatus(of: monitor)
/// configuration.events = status
/// for await line in status.lines() { banner.text = line.description }
/// ```
/// It counts the calls of the engines that pass it their events.
public final class NetworkStatus: RequestEventSink {
    private let clock: any GatewayClock
    private let machine: Locked<StatusLineStateMachine>
    private let streams = Broadcast<NetworkStatusLine>()
    private let task: Locked<Task<Void, Never>?>

    /// Follows a network until the status is released, or the source ends.
    public init(of network: any NetworkConditionSource, clock: any GatewayClock = SystemClock()) {
        self.clock = clock
        machine = Locked(StatusLineStateMachine(network.condition, unixTime: clock.unixTime))
        task = Locked(nil)
        let conditions = network.conditions()
        let follower = Task { [weak self] in
            for await condition in conditions {
                guard let self else { return }
                let time = clock.unixTime
                self.update { $0.observe(condition, unixTime: time) }
            }
            self?.streams.finish()
        }
        task.withLock { $0 = follower }
    }

    deinit { task.withLock { $0 }?.cancel() }

    /// The line now.
    public var line: NetworkStatusLine { machine.withLock { $0.line } }

    /// The line now, then each change.
    public func lines() -> AsyncStream<NetworkStatusLine> { streams.stream { self.line } }

    /// Sets how many requests wait in the program's queue.
    public func setQueued(_ count: Int) { update { $0.observe(queued: count) } }

    /// The events of calls.
    public var interests: EventInterests { .calls }

    /// Counts a call that is sent again.
    public func record(_ event: borrowing RequestEvent) {
        let (kind, call) = (event.kind, event.callID)
        update { $0.observe(kind, of: call) }
    }

    private func update(_ change: (inout StatusLineStateMachine) -> NetworkStatusLine?) {
        let hasChanged = machine.withLock { change(&$0) != nil }
        if hasChanged { streams.send { self.line } }
    }
}

extension NetworkStatus: Redacted {
    /// The line.
    public var description: String { line.description }
}
