import BenchmarkClients
import CAllocationCounter
import GatewayClient

/// What calls take: the processor's time, and allocations.
enum CallCost {
    /// Replies at once.
    struct Immediate: Transport {
        private let response: HTTPResponse

        init(to request: HTTPRequest) {
            response = HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// An engine above a transport that replies at once.
    static func engine(
        _ request: HTTPRequest, _ change: (inout GatewayConfiguration) throws -> Void
    ) rethrows -> GatewayEngine {
        var configuration = GatewayConfiguration()
        try change(&configuration)
        let transport = Immediate(to: request)
        return GatewayEngine(transport: transport, tokenTransport: transport, configuration: configuration)
    }

    /// The processor's time of a call in nanoseconds, by engine and round. The rounds alternate; the calls before them
    /// warm the caches.
    static func times(
        of engines: [any RequestEngine], _ request: HTTPRequest, _ context: RequestContext = RequestContext(),
        rounds: Int, calls: Int
    ) async throws(NetworkError) -> [[Double]] {
        for engine in engines {
            _ = try await nanoseconds(engine, request, context, calls: min(calls, 1_000))
        }
        var times = engines.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, engine) in engines.enumerated() {
                times[index].append(try await nanoseconds(engine, request, context, calls: calls))
            }
        }
        return times
    }

    /// The processor's time of a call in nanoseconds.
    static func nanoseconds(
        _ engine: some RequestEngine, _ request: HTTPRequest, _ context: RequestContext, calls: Int
    ) async throws(NetworkError) -> Double {
        let started = ProcessUsage.cpuSeconds
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return (ProcessUsage.cpuSeconds - started) * 1e9 / Double(calls)
    }

    /// The allocations of a call; `nil` where they cannot be counted.
    static func allocations(
        _ engine: some RequestEngine, _ request: HTTPRequest, _ context: RequestContext = RequestContext()
    ) async throws(NetworkError) -> Double? {
        guard allocation_counter_works() != 0 else { return nil }
        let calls = 10_000
        allocation_counter_start()
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return Double(allocation_counter_stop()) / Double(calls)
    }

    /// What the second of two series has more than the first, as the median over all rounds.
    static func added(_ times: [Double], to base: [Double]) -> Double {
        FigureRow.median(zip(times, base).map { $0 - $1 })
    }
}
