public import GatewayCore

/// Knows whether this machine has a network, by the kernel's links, addresses and routes (Linux `rtnetlink`).
///
/// ```swift
/// let monitor = try ReachabilityMonitor()
/// for await transition in monitor.transitions() { print(transition.kind) }
/// ```
/// The monitor never refuses a call. If the links cannot be read, as in some sandboxes, it is online. It is also online if
/// calls leave through a proxy, or only to this machine: see ``Configuration``.
///
/// It has a thread of its own, which ends with the monitor or ``stop()``.
public final class ReachabilityMonitor: NetworkConditionSource {
    private struct State {
        var machine: ReachabilityStateMachine
        var hasTable = false
        var unavailability: String?
        var quality: QualityEstimator
        var timer: (due: ContinuousClock.Instant, task: Task<Void, Never>)?
    }

    private let clock: any GatewayClock
    private let source: (any NetworkTableSource)?
    private let watch: OriginWatch?
    private let state: Locked<State>
    private let outlets = EventOutlets()
    private let conditionStreams = Broadcast<NetworkCondition>()
    private let transitionStreams = Broadcast<NetworkTransition>()
    private let statusStreams = Broadcast<Reachability>()
    /// Every status that is read, before it is settled.
    let rawStreams = Broadcast<Reachability>()

    /// Starts a monitor.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured` if an interval or a delay is not positive.
    public convenience init(configuration: Configuration = Configuration()) throws(NetworkError) {
        var settings = NetlinkWatcher.Settings()
        settings.pollInterval = configuration.networkRecheckInterval
        try self.init(configuration: configuration, source: NetlinkWatcher(settings))
    }

    init(
        configuration: Configuration, source: any NetworkTableSource,
        connector: (any OriginConnecting)? = nil
    ) throws(NetworkError) {
        try configuration.validate()
        clock = configuration.clock
        state = Locked(
            State(
                machine: ReachabilityStateMachine(
                    .assumedOnline, onlineDelay: configuration.onlineDelay,
                    offlineDelay: configuration.offlineDelay),
                quality: QualityEstimator(configuration.quality)))
        self.source = configuration.isAlwaysOnline ? nil : source
        watch =
            configuration.isAlwaysOnline
            ? nil
            : OriginWatch(
                configuration, connector: connector ?? SocketConnector(clock: configuration.clock))
        if let first = self.source?.readNow() { receive(.table(first)) }
        self.source?.start { [weak self] report in self?.receive(report) }
        watch?.start(isOnline: isConnected) { [weak self] in self?.obstacleChanged() }
    }

    deinit { stop() }

    // MARK: Status

    /// Whether there is a network, and by which interfaces. Changes that do not last are not seen.
    public var reachability: Reachability { state.withLock { $0.machine.settled } }

    /// Whether there is a network.
    public var isConnected: Bool { reachability.isOnline }

    /// The status now, then each change that lasts.
    public func reachabilities() -> AsyncStream<Reachability> {
        statusStreams.stream { self.reachability }
    }

    /// The condition now. The quality is that of the exchanges of engines whose configuration names the monitor; without any
    /// it is excellent.
    public var condition: NetworkCondition {
        let obstacle = watch?.obstacle
        return state.withLock { state in
            let isOnline = state.machine.settled.isOnline
            return NetworkCondition(
                quality: isOnline ? state.quality.quality : .offline,
                isInterrupted: state.machine.isInterrupted, obstacle: isOnline ? obstacle : nil)
        }
    }

    /// The condition of the way to an origin: an origin on this machine is always online.
    public func condition(for origin: Origin) -> NetworkCondition {
        if origin.isLoopback { return NetworkCondition(quality: .excellent) }
        let obstacle = watch?.obstacle
        return state.withLock { state in
            let isOnline = state.machine.settled.isOnline
            return NetworkCondition(
                quality: isOnline ? state.quality.quality(for: origin) : .offline,
                isInterrupted: state.machine.isInterrupted, obstacle: isOnline ? obstacle : nil)
        }
    }

    /// The condition now, then each change that lasts.
    public func conditions() -> AsyncStream<NetworkCondition> {
        conditionStreams.stream { self.condition }
    }

    /// Checks the origins of the configuration now, by its `heartbeat` and `portalCheck`, and returns the condition then: for
    /// programs that have just begun, and after somebody asks for it. Without either, and without a network, nothing is checked.
    public func checkOrigins() async -> NetworkCondition {
        if isConnected { await watch?.checkNow() }
        return condition
    }

    /// The transitions from now on.
    public func transitions() -> AsyncStream<NetworkTransition> { transitionStreams.stream() }

    /// Ends the thread and all sequences. The status is then no longer updated.
    public func stop() {
        source?.stop()
        watch?.stop()
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.task.cancel()
        conditionStreams.finish()
        transitionStreams.finish()
        statusStreams.finish()
        rawStreams.finish()
    }

    // MARK: Reports

    private func receive(_ report: NetworkTableReport) {
        let now = clock.now
        let status: Reachability
        var event: StateEvent.Kind?
        switch report {
        case .table(let table): status = Reachability(table)
        case .unavailable: status = .assumedOnline
        }
        let (before, after) = state.withLock { state in
            let before = state.machine.settled
            switch report {
            case .unavailable(let reason):
                if state.unavailability == nil { event = .networkUnobservable(reason) }
                state.unavailability = reason
            case .table: state.unavailability = nil
            }
            if case .table = report, !state.hasTable {
                // What is true at the start is no transition.
                state.hasTable = true
                state.machine.restart(with: status)
            } else {
                state.machine.observe(status, at: now)
            }
            return (before, state.machine.settled)
        }
        rawStreams.send(status)
        if let event { record(event, at: now) }
        if before.isOnline != after.isOnline { watch?.networkChanged(isOnline: after.isOnline) }
        if before != after { settled(before, after) }
        schedule()
    }

    /// Runs the timer of what waits.
    private func schedule() {
        let obsolete = state.withLock { state -> Task<Void, Never>? in
            guard state.timer?.due != state.machine.due else { return nil }
            let obsolete = state.timer?.task
            state.timer = state.machine.due.map { due in
                (due, clock.alarm(at: due) { [weak self] in self?.advance() })
            }
            return obsolete
        }
        obsolete?.cancel()
    }

    private func advance() {
        let now = clock.now
        let (transition, before, after) = state.withLock { state in
            let before = state.machine.settled
            let transition = state.machine.advance(to: now)
            // What was measured was another network.
            if transition != nil { state.quality.reset() }
            return (transition, before, state.machine.settled)
        }
        if let transition {
            transitionStreams.send(transition)
            record(.networkChanged(transition.kind), at: transition.instant)
            watch?.networkChanged(isOnline: transition.kind != .offline)
        }
        if before != after { settled(before, after) }
        schedule()
    }

    private func settled(_ before: Reachability, _ after: Reachability) {
        if (before.isOnline, before.interfaces) != (after.isOnline, after.interfaces) {
            statusStreams.send { self.reachability }
        }
        if before.isOnline != after.isOnline { conditionStreams.send { self.condition } }
    }

    private func obstacleChanged() {
        record(.networkObstacleChanged(watch?.obstacle), at: clock.now)
        conditionStreams.send { self.condition }
    }

    // MARK: Quality

    /// Receives the exchanges from which the quality is judged. An engine passes them if its configuration names the monitor.
    public var observer: (any RequestEventSink)? { ExchangeObserver(monitor: self) }

    fileprivate func observe(
        _ timings: ExchangeTimings, of origin: Origin, at instant: ContinuousClock.Instant
    ) {
        if timings.firstByte != nil { watch?.received(from: origin) }
        if timings.tls != nil, timings.firstByte != nil { watch?.connected(to: origin, isTrusted: true) }
        let (changes, isOnline) = state.withLock { state in
            (state.quality.add(timings, of: origin, at: instant), state.machine.settled.isOnline)
        }
        for change in changes {
            record(.networkQualityChanged(from: change.from, to: change.to), at: instant, change.origin)
            if change.origin == nil, isOnline { conditionStreams.send { self.condition } }
        }
    }

    fileprivate var watchesTLS: Bool { watch?.watchesTLS ?? false }

    fileprivate func observeTLSFailure(of origin: Origin) { watch?.connected(to: origin, isTrusted: false) }

    // MARK: Events

    private func record(
        _ kind: StateEvent.Kind, at instant: ContinuousClock.Instant, _ origin: Origin? = nil
    ) {
        outlets.record([StateEvent(instant: instant, origin: origin, kind: kind)])
    }
}

/// Refers to the monitor weakly: the sinks of an engine do not keep its thread.
private final class ExchangeObserver: RequestEventSink {
    private weak let monitor: ReachabilityMonitor?

    let interests: EventInterests

    init(monitor: ReachabilityMonitor) {
        self.monitor = monitor
        interests = monitor.watchesTLS ? [.exchanges, .attempts] : .exchanges
    }

    func record(_ event: borrowing RequestEvent) {
        switch event.kind {
        case .exchanged(let timings): monitor?.observe(timings, of: event.origin, at: event.instant)
        case .attemptEnded(let end):
            guard case .error(.tlsFailure, _) = end.outcome else { return }
            monitor?.observeTLSFailure(of: event.origin)
        default: break
        }
    }
}

extension ReachabilityMonitor: EventReporting {
    package func report(to outlet: EventOutlet) {
        outlets.add(outlet)
        guard let reason = state.withLock({ $0.unavailability }), outlet.sink.interests.contains(.state)
        else { return }
        outlet.sink.record(StateEvent(instant: clock.now, origin: nil, kind: .networkUnobservable(reason)))
    }
}

extension ReachabilityMonitor: EnginePart {
    /// `true`.
    public var endsAfterCalls: Bool { true }

    /// The same as ``stop()``. Do not join it to an engine if others use the monitor, too.
    public func end(until deadline: Deadline) async { stop() }
}

extension ReachabilityMonitor: Redacted {
    /// The state, such as `ReachabilityMonitor(online)`.
    public var description: String { "ReachabilityMonitor(\(isConnected ? "online" : "offline"))" }
}
