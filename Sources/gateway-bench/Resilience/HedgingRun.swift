import CAllocationCounter
import GatewayClient
import GatewayTesting

/// What hedging does for a server of which 2 % of the responses take 500 ms and the others 5 ms, and what it costs a call.
struct HedgingRun {
    /// Replies at once.
    private struct Immediate: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    private final class Counter: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

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
        let counter = Counter()
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            let isSlow = counter.next() % 50 == 0
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
                goal: isHedged ? Self.timeGoal(60) : nil),
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
        let transport = Immediate(
            response: HTTPResponse(status: 200, exchange: Exchange(origin: get.origin)))
        func engine(_ policy: HedgingPolicy?) -> GatewayEngine {
            var configuration = GatewayConfiguration()
            configuration.protection.hedging = policy
            return GatewayEngine(
                transport: transport, tokenTransport: transport, configuration: configuration)
        }
        var figures: [FigureRow.Figure] = []
        for (name, request, isIdle) in [("idle", post, true), ("read", get, false)] {
            let (absent, present) = (engine(nil), engine(.standard))
            for engine in [absent, present] {
                _ = try await TokenLayerCost.nanoseconds(engine, request, calls: 1_000)
            }
            var added: [Double] = []
            for _ in 0..<11 {
                let without = try await TokenLayerCost.nanoseconds(absent, request, calls: 10_000)
                added.append(
                    try await TokenLayerCost.nanoseconds(present, request, calls: 10_000) - without)
            }
            figures.append(
                .init(
                    name: "ns_added_\(name)", value: FigureRow.median(added),
                    goal: isIdle ? Self.timeGoal(1_000) : nil))
            guard allocation_counter_works() != 0 else { continue }
            let allocations =
                try await Self.allocations(present, request) - Self.allocations(absent, request)
            figures.append(
                .init(name: "alloc_added_\(name)", value: allocations, goal: isIdle ? .atMost(1) : nil))
        }
        return figures
    }

    private static func allocations(
        _ engine: GatewayEngine, _ request: HTTPRequest
    ) async throws(NetworkError) -> Double {
        let calls = 10_000
        allocation_counter_start()
        let context = RequestContext()
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return Double(allocation_counter_stop()) / Double(calls)
    }

    /// Without optimization there is no bound of time.
    private static func timeGoal(_ limit: Double) -> FigureRow.Goal? {
        #if DEBUG
            nil
        #else
            .atMost(limit)
        #endif
    }
}
