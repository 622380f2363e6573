import BenchmarkClients
import GatewayClient
import GatewayOfflineQueue

/// How many stored requests are sent in a second, beside the same requests by the same engine without a queue. The rounds
/// alternate.
///
/// The server is nginx, on the first processor; this process has the others. On the same ones the scheduler decides which of
/// the two is disturbed by the thread that writes, and the ratio is another one each time.
struct QueueSending {
    private static let concurrency = 64

    let requests: Int
    let rounds: Int
    let folder: String

    func measure() async throws -> FigureRow {
        let servers = BenchServers(url: nil)
        defer { servers.stop() }
        guard let workload = Workload.all.first(where: { $0.name == "small" }),
            let url = try servers.place(of: workload)?.url
        else { throw BenchmarkFailure.failed("the server does not start") }
        var configuration = GatewayConfiguration()
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(Secret(ClientJob.token))),
            scope: CredentialScope([try ParsedURL(url).origin]))
        let engine = try configuration.makeEngine()
        var settings = QueueSample.configuration
        settings.concurrency = Self.concurrency
        let queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: folder + "/sending.sqlite"), engine: engine, configuration: settings
        )
        if Nginx.executable != nil {
            servers.keepApart(true)
            Processors.leaveFirst()
        }
        var (direct, ratios): ([Double], [Double]) = ([], [])
        var (callTimes, entryTimes): ([Double], [Double]) = ([], [])
        for round in 0...rounds {
            try await store(url, queue)
            let start = ProcessUsage.cpuSeconds
            let calls = try await QueueStoring.rate(requests) { try await send(url, engine) }
            let middle = ProcessUsage.cpuSeconds
            let drained = try await QueueStoring.rate(requests) {
                let report = await queue.drain(until: .after(.seconds(600)))
                guard report.done == requests, report.remaining == 0 else {
                    throw BenchmarkFailure.failed("\(report.done) of \(requests) requests were sent")
                }
            }
            // The first round opens the connections.
            guard round > 0 else { continue }
            direct.append(calls)
            callTimes.append((middle - start) / Double(requests) * 1e6)
            entryTimes.append((ProcessUsage.cpuSeconds - middle) / Double(requests) * 1e6)
            ratios.append(drained / calls)
        }
        return FigureRow(
            name: "sending",
            title: "Stored requests that are sent, beside calls (\(Self.concurrency) at a time)",
            rounds: rounds,
            figures: [
                .init(name: "calls_per_second", value: FigureRow.median(direct)),
                .init(name: "us_cpu_call", value: FigureRow.median(callTimes)),
                .init(name: "us_cpu_entry", value: FigureRow.median(entryTimes)),
                .init(name: "ratio_drain", value: FigureRow.median(ratios), goal: .optimized(.atLeast(0.6))),
            ])
    }

    /// Stores the requests of a round.
    private func store(_ url: String, _ queue: OfflineQueueEngine) async throws {
        let request = QueueRequest(try QueueSample.request(to: url))
        try await QueueStoring.spread(requests, over: 256) { _ in _ = try await queue.enqueue(request) }
    }

    /// Sends the same requests without a queue, each with a key of its own.
    private func send(_ url: String, _ engine: GatewayEngine) async throws {
        let request = try QueueSample.request(to: url)
        try await QueueStoring.spread(requests, over: Self.concurrency) { number in
            var request = request
            request.fields[.idempotencyKey] = "00000000000000000000000000\(number)"
            let response = try await engine.send(request, context: RequestContext())
            guard response.isSuccess else { throw BenchmarkFailure.failed("a call failed") }
        }
    }
}
