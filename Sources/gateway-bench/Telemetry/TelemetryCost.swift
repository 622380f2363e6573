import BenchmarkClients
import CAllocationCounter
import GatewayClient
import GatewayTelemetry
import Glibc

/// What metrics and logs add to a call: the processor's time and the allocations of calls to a transport that answers at once,
/// without a sink and with each. The rounds alternate.
struct TelemetryCost {
    /// The same as without a transport, so that only the sink counts.
    struct Immediate: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    let calls: Int
    let rounds: Int

    private static let names = ["absent", "empty", "metrics", "log", "log_sampled", "both"]

    /// Wants all that metrics want, and does nothing: what the events themselves take.
    private final class Empty: RequestEventSink {
        let interests: EventInterests = [.calls, .attempts, .tokens, .state]
        func record(_ event: borrowing RequestEvent) {}
    }

    private static func sink(_ name: String) -> (any RequestEventSink)? {
        let nowhere: @Sendable ([UInt8]) -> Void = { _ in }
        return switch name {
        case "empty": Empty()
        case "metrics": RequestMetricsCollector()
        case "log": JSONLogSink(capacity: 1_000, write: nowhere)
        case "log_sampled": JSONLogSink(sampling: 0.01, capacity: 1_000, write: nowhere)
        case "both":
            ClientTelemetry(log: JSONLogSink(sampling: 0.01, capacity: 1_000, write: nowhere))
        default: nil
        }
    }

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let transport = Immediate(
            response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin)))
        let engines = Self.names.map { name in
            var configuration = GatewayConfiguration()
            configuration.events = Self.sink(name)
            return GatewayEngine(
                transport: transport, tokenTransport: transport, configuration: configuration)
        }
        // The first calls warm the caches.
        for engine in engines { _ = try await Self.nanoseconds(engine, request, calls: 1_000) }
        var times = engines.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, engine) in engines.enumerated() {
                times[index].append(try await Self.nanoseconds(engine, request, calls: calls))
            }
        }
        var figures: [FigureRow.Figure] = []
        var allocations: [Double] = []
        for (index, name) in Self.names.enumerated() {
            figures.append(.init(name: "ns_\(name)", value: FigureRow.median(times[index])))
            if index > 0 {
                let added = zip(times[index], times[0]).map { $0 - $1 }
                figures.append(
                    .init(
                        name: "ns_added_\(name)", value: FigureRow.median(added),
                        goal: name == "metrics" ? Self.timeGoal : nil))
            }
            guard allocation_counter_works() != 0 else { continue }
            allocations.append(try await Self.allocations(engines[index], request))
            figures.append(.init(name: "allocations_\(name)", value: allocations[index]))
            if name == "metrics" {
                // Other threads of the process allocate now and then.
                figures.append(
                    .init(
                        name: "alloc_added_metrics", value: allocations[index] - allocations[0],
                        goal: Self.allocationGoal))
            }
        }
        if allocation_counter_works() != 0 {
            figures.append(
                .init(
                    name: "event_allocations_absent", value: Double(try Self.eventAllocations(request)),
                    goal: .atMost(0)))
        }
        return FigureRow(
            name: "cost", title: "Telemetry on a call, CPU (\(calls) calls a round)", rounds: rounds,
            figures: figures)
    }

    // Without optimisation there is no bound.
    #if DEBUG
        private static let timeGoal: FigureRow.Goal? = nil
        private static let allocationGoal: FigureRow.Goal? = nil
    #else
        private static let timeGoal: FigureRow.Goal? = .atMost(1_500)
        private static let allocationGoal: FigureRow.Goal? = .atMost(0.01)
    #endif

    private static func nanoseconds(
        _ engine: GatewayEngine, _ request: HTTPRequest, calls: Int
    ) async throws(NetworkError) -> Double {
        let context = RequestContext(operation: "listBooks")
        let started = ProcessUsage.cpuSeconds
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return (ProcessUsage.cpuSeconds - started) * 1e9 / Double(calls)
    }

    private static func allocations(
        _ engine: GatewayEngine, _ request: HTTPRequest
    ) async throws(NetworkError) -> Double {
        let calls = 10_000
        allocation_counter_start()
        let context = RequestContext(operation: "listBooks")
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return Double(allocation_counter_stop()) / Double(calls)
    }

    /// The least number of allocations of 1,000 events that nobody wants.
    private static func eventAllocations(_ request: HTTPRequest) throws -> Int {
        let context = RequestContext()
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<1_000 {
                context.record(.started, for: request)
                context.record(.attemptEnded(AttemptEnd(.response(status: 200))), for: request, as: .attempts)
            }
            least = min(least, allocation_counter_stop())
        }
        return least
    }
}
