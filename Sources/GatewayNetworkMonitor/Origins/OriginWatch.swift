internal import GatewayCore

/// Checks the configured origins periodically while links are up.
final class OriginWatch: Sendable {
    private struct State {
        var machine = ObstacleStateMachine()
        var task: Task<Void, Never>?
        /// Incremented with each change of the network: results of earlier networks are ignored.
        var network: UInt64 = 0
        var report: (@Sendable () -> Void)?
    }

    private let clock: any GatewayClock
    private let origins: [Origin]
    private let interval: Duration
    private let heartbeat: ReachabilityMonitor.Heartbeat?
    private let portalCheck: PortalCheck?
    /// Whether TLS failures of calls are evaluated.
    let watchesTLS: Bool
    private let connector: any OriginConnecting
    private let state = Locked(State())

    /// `nil` if the configuration enables no checks, or no origin is on another machine.
    init?(_ configuration: ReachabilityMonitor.Configuration, connector: any OriginConnecting) {
        clock = configuration.clock
        // Origins on this machine are always reachable.
        origins = configuration.origins.filter { !$0.isLoopback }
        interval = configuration.networkRecheckInterval
        heartbeat = configuration.heartbeat
        portalCheck = configuration.portalCheck
        watchesTLS = configuration.reportsInterceptedTLS
        self.connector = connector
        let isWanted = heartbeat != nil || portalCheck != nil || watchesTLS
        guard isWanted, !origins.isEmpty else { return nil }
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// The current obstacle on the path to the origins; `nil` for none.
    var obstacle: NetworkObstacle? { state.withLock { $0.machine.obstacle } }

    /// Checks immediately if there is a network, then after each interval.
    ///
    /// - Parameter report: called when the obstacle has changed.
    func start(isOnline: Bool, report: @escaping @Sendable () -> Void) {
        state.withLock { $0.report = report }
        if isOnline { run() }
    }

    /// Discards the results of the previous network, and checks the new one immediately.
    func networkChanged(isOnline: Bool) {
        let task = state.withLock { state in
            defer { state.task = nil }
            state.network += 1
            return state.task
        }
        task?.cancel()
        change { $0.forgetNetwork() }
        if isOnline { run() }
    }

    /// Records that a call got a response from an origin.
    func received(from origin: Origin) {
        guard origins.contains(origin) else { return }
        change { $0.observe(isAnyReachable: true) }
    }

    /// Records the end of the TLS handshake of a call's new connection.
    func connected(to origin: Origin, isTrusted: Bool) {
        guard watchesTLS, origins.contains(origin) else { return }
        change { $0.observeTLS(isTrusted: isTrusted, to: origin) }
    }

    /// Ends the checks.
    func stop() {
        let task = state.withLock { state in
            defer { (state.task, state.report) = (nil, nil) }
            state.network += 1
            return state.task
        }
        task?.cancel()
    }

    /// Checks immediately, in addition to the periodic checks.
    func checkNow() async { await check(state.withLock { $0.network }) }

    private func run() {
        guard heartbeat != nil || portalCheck != nil else { return }
        let network = state.withLock { $0.network }
        let task = Task { [weak self, clock, interval] in
            while !Task.isCancelled {
                await self?.check(network)
                do { try await clock.sleep(until: clock.now.adding(interval)) } catch { return }
            }
        }
        let obsolete = state.withLock { state -> Task<Void, Never>? in
            guard state.network == network, state.report != nil else { return task }
            defer { state.task = task }
            return state.task
        }
        obsolete?.cancel()
    }

    private func check(_ network: UInt64) async {
        if let heartbeat {
            let isAnyReachable = await isAnyReachable(within: heartbeat.timeout)
            guard !Task.isCancelled else { return }
            if let isAnyReachable { change(in: network) { $0.observe(isAnyReachable: isAnyReachable) } }
        }
        guard let portalCheck else { return }
        for origin in origins {
            let answer = await portalCheck.answer(from: origin, clock: clock)
            guard !Task.isCancelled else { return }
            change(in: network) { $0.observe(answer, from: origin) }
        }
    }

    /// Whether one of the origins accepts a connection; `nil` if unknown.
    private func isAnyReachable(within limit: Duration) async -> Bool? {
        var isKnown = true
        for origin in origins {
            switch await connector.canConnect(to: origin, within: limit) {
            case true?: return true
            case false?: continue
            case nil: isKnown = false
            }
        }
        return isKnown ? false : nil
    }

    /// Changes the state machine, unless the network has changed in the meantime, and reports a changed
    /// obstacle.
    private func change(in network: UInt64? = nil, _ body: (inout ObstacleStateMachine) -> Void) {
        let report = state.withLock { state -> (@Sendable () -> Void)? in
            guard network == nil || network == state.network else { return nil }
            let before = state.machine.obstacle
            body(&state.machine)
            return state.machine.obstacle != before ? state.report : nil
        }
        report?()
    }
}
