import BenchmarkClients
import GatewayClient
import GatewayTelemetry

/// Calls at a constant rate, each of them traced, with a collector that answers and with one that hangs: in pairs, of which
/// either comes first in turn.
struct HangingCollector {
    private static let rate = 10_000
    private static let pairs = 10

    let seconds: Double

    private struct Run {
        /// In milliseconds.
        let slowPercentile: Double
        let heapKibibytes: Double
        let dropped: Int
        let failures: Int
    }

    func measure() async throws -> FigureRow {
        guard let url = BenchServer.url else { throw BenchmarkFailure.failed("the server does not start") }
        let origin = try Origin(url)
        _ = try await run(origin, isHanging: false)
        var (answering, hanging): ([Run], [Run]) = ([], [])
        for pair in 0..<Self.pairs {
            for isHanging in pair % 2 == 0 ? [false, true] : [true, false] {
                let run = try await run(origin, isHanging: isHanging)
                if isHanging { hanging.append(run) } else { answering.append(run) }
            }
        }
        let changes = zip(hanging, answering).map { ($0.slowPercentile / $1.slowPercentile - 1) * 100 }
        let growths = zip(hanging, answering).map { $0.heapKibibytes - $1.heapKibibytes }
        return FigureRow(
            name: "hanging", title: "A collector that hangs, \(Self.rate) calls a second", rounds: Self.pairs,
            figures: [
                .init(name: "p99_ms_answering", value: FigureRow.median(answering.map(\.slowPercentile))),
                .init(name: "p99_ms_hanging", value: FigureRow.median(hanging.map(\.slowPercentile))),
                .init(
                    name: "p99_change_percent", value: FigureRow.median(changes),
                    goal: .optimized(.atMost(5))),
                .init(
                    name: "heap_growth_kib", value: FigureRow.median(growths),
                    goal: .optimized(.atMost(4_096))
                ),
                .init(name: "dropped", value: FigureRow.median(hanging.map { Double($0.dropped) })),
                .init(
                    name: "failures", value: Double((answering + hanging).reduce(0) { $0 + $1.failures }),
                    goal: .atMost(0)),
            ])
    }

    private func run(_ origin: Origin, isHanging: Bool) async throws -> Run {
        var sending = OTLPConfiguration()
        sending.traces = .init("http://127.0.0.1:4318/v1/traces")
        let exporter = try OTLPExporter(sending, transport: CollectorTransport(isHanging: isHanging))
        var configuration = GatewayConfiguration()
        configuration.events = ClientTelemetry(tracer: ClientTracer(exporter: exporter))
        configuration.coalescing = nil
        let engine = try configuration.makeEngine()
        let before = ProcessUsage.heapKibibytes
        let timer = ControlTimer()
        let calls = OfferedCalls(
            engine: engine, origin: origin, path: "/small", rate: Self.rate, deadline: .seconds(30),
            isTimed: false, timer: timer)
        let (times, failures) = await Self.durations(of: calls.run(from: .now, for: seconds))
        timer.stop()
        let heap = ProcessUsage.heapKibibytes - before
        let rank = max(0, Int((0.99 * Double(times.count)).rounded(.up)) - 1)
        // What waits for the collector is not waited for.
        await engine.shutdown(within: .milliseconds(1))
        return Run(
            slowPercentile: times.indices.contains(rank) ? times[rank] : 0, heapKibibytes: heap,
            dropped: exporter.spans?.dropped ?? 0, failures: failures)
    }

    /// In milliseconds, sorted; and the number of calls that failed. The records themselves are released.
    private static func durations(of records: [OfferedCalls.Record]) -> ([Double], Int) {
        (records.map { ($0.end - $0.begin) * 1_000 }.sorted(), records.count { !$0.isSuccess })
    }
}
