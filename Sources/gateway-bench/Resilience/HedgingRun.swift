import BenchmarkClients
import GatewayClient
import GatewayTesting

/// What hedging does for a server of which 2 % of the responses take 500 ms and the others 5 ms, and what it costs a call.
struct HedgingRun {
    private static let callers = 20
    private static let calls = 8_000

    // MARK: Latencies

    /// Measures with hedging and without.
    func measure() async throws -> FigureRow {
        var figures = try await latencies(of: nil, "absent")
        figures += try await latencies(of: .standard, "hedging")
        figures += try await cost()
        return FigureRow(
            name: "hedging",
            title: "Hedging, 2 % of \(Self.calls) responses take 500 ms and the others 5 ms", rounds: 1,
            figures: figures)
    }

    private func latencies(of policy: HedgingPolicy?, _ name: String) async throws -> [FigureRow.Figure] {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let numbers = CallNumbers()
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            let isSlow = numbers.next() % 50 == 0
            try? await Task.sleep(for: isSlow ? .milliseconds(500) : .milliseconds(5), tolerance: .zero)
            return .text("ok")
        }
        var configuration = GatewayConfiguration()
        configuration.protection.hedging = policy
        configuration.coalescing = nil
        configuration.retry.policy = .never
        let engine = GatewayEngine(configuration: configuration)
        let request = try HTTPRequest(.get, "\(gateway.origin)/x")
        // Connections, and enough latencies to compare with.
        _ = try await Self.make(500, request, engine)
        let (sent, opened) = (gateway.statistics.requests, gateway.statistics.connectionsOpened)
        let times = try await Self.make(Self.calls, request, engine).sorted()
        await engine.shutdown(within: .seconds(5))
        let extra = Double(gateway.statistics.requests - sent - Self.calls) / Double(Self.calls)
        let connections = Double(gateway.statistics.connectionsOpened - opened) / Double(Self.calls)
        let isHedged = policy != nil
        return [
            .init(name: "p50_ms_\(name)", value: times[times.count / 2]),
            .init(
                name: "p99_ms_\(name)", value: times[times.count * 99 / 100],
                goal: isHedged ? .optimized(.atMost(60)) : nil),
            .init(name: "extra_sends_\(name)", value: extra, goal: isHedged ? .atMost(0.05) : nil),
            .init(
                name: "new_connections_\(name)", value: connections, goal: isHedged ? .atMost(0.01) : nil),
        ]
    }

    /// The times of calls, in milliseconds.
    private static func make(
        _ calls: Int, _ request: HTTPRequest, _ engine: GatewayEngine
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<callers {
                group.addTask {
                    var times: [Double] = []
                    for _ in 0..<calls / callers {
                        let begin = ContinuousClock.now
                        _ = try await engine.send(request, operation: "x")
                        times.append(begin.duration(to: .now) / .milliseconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    // MARK: Cost

    /// The processor's time and the allocations of calls to a transport that answers at once: other methods, and reads
    /// that are ready to be hedged.
    private func cost() async throws -> [FigureRow.Figure] {
        let get = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let post = try HTTPRequest(.post, "https://api.example.com/v1/books")
        var figures: [FigureRow.Figure] = []
        for (name, request, isIdle) in [("idle", post, true), ("read", get, false)] {
            let absent = CallCost.engine(request) { $0.protection.hedging = nil }
            let present = CallCost.engine(request) { $0.protection.hedging = .standard }
            let times = try await CallCost.times(of: [absent, present], request, rounds: 11, calls: 10_000)
            figures.append(
                .init(
                    name: "ns_added_\(name)", value: CallCost.added(times[1], to: times[0]),
                    goal: isIdle ? .optimized(.atMost(1_000)) : nil))
            guard let count = try await CallCost.allocations(present, request),
                let base = try await CallCost.allocations(absent, request)
            else { continue }
            figures.append(
                .init(name: "alloc_added_\(name)", value: count - base, goal: isIdle ? .atMost(1) : nil))
        }
        return figures
    }
}
