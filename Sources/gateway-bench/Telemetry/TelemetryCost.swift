import BenchmarkClients
import CAllocationCounter
import GatewayClient
import GatewayTelemetry
import Glibc

/// What metrics, logs and traces add to a call: the processor's time and the allocations of calls to a transport that answers at once,
/// without a sink and with each. The rounds alternate.
struct TelemetryCost {
    let calls: Int
    let rounds: Int

    private static let names = [
        "absent", "empty", "metrics", "log", "log_sampled", "both", "traces_unsampled", "traces",
        "traces_all",
    ]
    /// The most that a call may take in addition, in nanoseconds.
    private static let limits = ["metrics": 1_500.0, "traces": 4_000]

    /// Wants all that metrics want, and does nothing: what the events themselves take.
    private final class Empty: RequestEventSink {
        let interests: EventInterests = [.calls, .attempts, .tokens, .state]
        func record(_ event: borrowing RequestEvent) {}
    }

    /// Metrics, and traces of which a share is sampled.
    private static func traces(_ share: Double) throws -> ClientTelemetry {
        var options = ClientTracer.Options()
        options.sampler = .share(share)
        var sending = OTLPConfiguration()
        sending.traces = .init("http://127.0.0.1:4318/v1/traces")
        let exporter = try OTLPExporter(sending, transport: CollectorTransport())
        return ClientTelemetry(tracer: ClientTracer(exporter: exporter, options: options))
    }

    private static func sink(_ name: String) throws -> (any RequestEventSink)? {
        let nowhere: @Sendable ([UInt8]) -> Void = { _ in }
        return switch name {
        case "empty": Empty()
        case "metrics": RequestMetricsCollector()
        case "log": JSONLogSink(capacity: 1_000, write: nowhere)
        case "log_sampled": JSONLogSink(sampling: 0.01, capacity: 1_000, write: nowhere)
        case "both":
            ClientTelemetry(log: JSONLogSink(sampling: 0.01, capacity: 1_000, write: nowhere))
        case "traces_unsampled": try traces(0)
        case "traces": try traces(0.1)
        case "traces_all": try traces(1)
        default: nil
        }
    }

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        // Before there are exporters: they allocate on threads of their own.
        let eventAllocations = allocation_counter_works() == 0 ? nil : try Self.eventAllocations(request)
        let engines = try Self.names.map { name in
            try CallCost.engine(request) { $0.events = try Self.sink(name) }
        }
        let context = RequestContext(operation: "listBooks")
        let times = try await CallCost.times(of: engines, request, context, rounds: rounds, calls: calls)
        var figures: [FigureRow.Figure] = []
        var allocations: [Double] = []
        for (index, name) in Self.names.enumerated() {
            figures.append(.init(name: "ns_\(name)", value: FigureRow.median(times[index])))
            if index > 0 {
                figures.append(
                    .init(
                        name: "ns_added_\(name)", value: CallCost.added(times[index], to: times[0]),
                        goal: Self.limits[name].flatMap { .optimized(.atMost($0)) }))
            }
            guard let count = try await CallCost.allocations(engines[index], request, context) else {
                continue
            }
            allocations.append(count)
            figures.append(.init(name: "allocations_\(name)", value: count))
            if name == "metrics" {
                // Other threads of the process allocate now and then.
                figures.append(
                    .init(
                        name: "alloc_added_metrics", value: count - allocations[0],
                        goal: .optimized(.atMost(0.01))))
            }
        }
        if let eventAllocations {
            figures.append(
                .init(name: "event_allocations_absent", value: Double(eventAllocations), goal: .atMost(0)))
        }
        return FigureRow(
            name: "cost", title: "Telemetry on a call, CPU (\(calls) calls a round)", rounds: rounds,
            figures: figures)
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
