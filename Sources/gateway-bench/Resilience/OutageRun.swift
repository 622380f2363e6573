import BenchmarkClients
import GatewayClient
import GatewayTesting

/// One outage under constant load: calls before it, during it and after it, through `gateway-chaos`.
struct OutageRun {
    private static let path = "/bench/resilience"

    let outage: Outage
    let protection: Protection
    let plan: OutagePlan

    func measure() async throws -> FigureRow {
        var server = EmbeddedGateway.Configuration()
        server.journalLimit = 0
        let gateway = try EmbeddedGateway.start(server)
        defer { gateway.shutdown() }
        gateway.route(.get, Self.path) { _ in .text(Workload.content) }
        let proxy = try ChaosProxy.start(to: gateway.origin.port)
        defer { proxy.shutdown() }

        var configuration = GatewayConfiguration()
        // A call never waits for a connection: all reach the wire.
        configuration.transport.connectionsPerOrigin = 4 * plan.rate
        configuration.transport.connectionsInAll = 4 * plan.rate
        let events = StateRecorder()
        configuration.events = events
        try protection.apply(to: &configuration, plan: plan)
        let engine = try configuration.makeEngine()
        let timer = ControlTimer()
        defer { timer.stop() }
        let calls = OfferedCalls(
            engine: engine, origin: proxy.origin, path: Self.path, rate: plan.rate,
            deadline: .seconds(plan.deadline), isTimed: outage.endsByDeadline, timer: timer)

        let openTime = protection.openTime(plan)
        let length = plan.before + plan.outage + openTime + plan.grace
        let start = ContinuousClock.now + .milliseconds(50)
        async let all = calls.run(from: start, for: length)
        try await Task.sleep(until: start + .seconds(plan.before), tolerance: .zero)
        let begin = start.duration(to: .now) / .seconds(1)
        try outage.begin(proxy, gateway)
        try await Task.sleep(until: start + .seconds(plan.before + plan.outage), tolerance: .zero)
        try outage.end(proxy, gateway)
        let end = start.duration(to: .now) / .seconds(1)
        let records = await all
        _ = await engine.shutdown(within: .seconds(1))
        return row(
            records, from: begin, to: end, recovered: end + openTime + plan.grace,
            opened: events.opened.map { start.duration(to: $0) / .seconds(1) - begin })
    }

    /// - Parameters:
    ///   - begin: the begin of the outage, in seconds since the first call.
    ///   - end: its end.
    ///   - recovered: when the former rate has to be reached.
    ///   - opened: when a circuit breaker opened, in seconds since the begin of the outage.
    private func row(
        _ records: [OfferedCalls.Record], from begin: Double, to end: Double, recovered: Double,
        opened: Double?
    ) -> FigureRow {
        func begun(_ from: Double, _ to: Double) -> [OfferedCalls.Record] {
            records.filter { $0.begin >= from && $0.begin < to }
        }
        func share(_ from: Double, _ to: Double) -> Double {
            let calls = begun(from, to)
            return calls.isEmpty ? 0 : Double(calls.count(where: \.isSuccess)) / Double(calls.count)
        }
        let during = begun(begin, end)
        let attempts = during.reduce(0) { $0 + $1.attempts }
        let rest = begun(begin + plan.window, end)
        let before = share(0.5, begin - plan.deadline)
        let after = share(recovered - plan.measured - 0.1, recovered - 0.1)
        var figures = [
            FigureRow.Figure(name: "offered", value: Double(during.count)),
            .init(
                name: "attempts", value: Double(attempts),
                goal: .atMost(protection.mostAttempts(offered: during.count, seconds: end - begin))),
            .init(
                name: "attempts_after_window", value: Double(rest.reduce(0) { $0 + $1.attempts }),
                goal: protection == .breaker ? .atMost(0.02 * Double(rest.count)) : nil),
            // Of all calls that were offered: a rate that is lower because calls were not made in time shows.
            .init(name: "served_before", value: before * 100, goal: .atLeast(99)),
            .init(name: "served_after", value: before > 0 ? after / before * 100 : 0, goal: .atLeast(95)),
            .init(name: "served_during", value: share(begin + plan.window, end - plan.deadline) * 100),
        ]
        if protection == .breaker {
            // Without an opening, it took as long as the outage.
            figures.append(
                .init(name: "open_after_s", value: opened ?? plan.outage, goal: .atMost(plan.window)))
        }
        if outage.endsByDeadline {
            // Both wait for threads that the machine may be short of: the distributions are compared.
            let delays = during.compactMap(\.lateness)
            let (calls, controls) = (delays.map(\.call).sorted(), delays.map(\.control).sorted())
            func late(_ share: Double) -> Double {
                guard !calls.isEmpty else { return 0 }
                let index = min(calls.count - 1, Int(Double(calls.count) * share))
                return (calls[index] - controls[index]) * 1e3
            }
            figures.append(.init(name: "deadlines", value: Double(calls.count), goal: .atLeast(1)))
            // A machine that stops for a while stops each thread for a time of its own.
            let stop = (controls.last ?? 0) * 1e3
            let goal = FigureRow.Goal.atMost(stop > 50 ? 50 + stop : 50)
            figures.append(.init(name: "late_p99.9_ms", value: late(0.999), goal: goal))
            figures.append(.init(name: "late_max_ms", value: late(1), goal: goal))
            figures.append(.init(name: "control_max_ms", value: stop))
        }
        return FigureRow(
            name: "\(outage.rawValue).\(protection.rawValue)",
            title: "\(outage.title), protection: \(protection.rawValue) (\(plan.rate) calls a second)",
            rounds: 1, figures: figures)
    }
}

/// Remembers when a circuit breaker opened first.
private final class StateRecorder: RequestEventSink {
    private let first = Locked<ContinuousClock.Instant?>(nil)

    var opened: ContinuousClock.Instant? { first.withLock { $0 } }

    func record(_ event: borrowing RequestEvent) {}

    func record(_ event: borrowing StateEvent) {
        guard case .circuitOpened = event.kind else { return }
        first.withLock { $0 = $0 ?? .now }
    }
}
