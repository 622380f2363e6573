import BenchmarkClients
import FoundationEssentials
import GatewayClient
import GatewayTesting

/// Many keys get their tokens at once from a token endpoint, in a process of their own.
struct KeyBurst {
    let keys: Int
    let rounds: Int

    /// What the client's process says.
    struct Outcome: Codable {
        let seconds: Double
        let served: Int
        let heapBytes: Double
        let peakRSSMebibytes: Double
    }

    func measure() throws -> FigureRow {
        var outcomes: [Outcome] = []
        var requests: [Double] = []
        for _ in 0..<rounds {
            var configuration = EmbeddedGateway.Configuration()
            configuration.journalLimit = 0
            let gateway = try EmbeddedGateway.start(configuration)
            defer { gateway.shutdown() }
            outcomes.append(
                try BenchProcess.run(
                    Outcome.self, ["client-keys", gateway.tokenURL, String(keys)],
                    environment: ["GATEWAY_BENCH_SECRET": gateway.client.secret.exposed]))
            requests.append(Double(gateway.statistics.tokenRequestCount))
        }
        func median(_ figure: (Outcome) -> Double) -> Double { FigureRow.median(outcomes.map(figure)) }
        let wrong = requests.first { $0 != Double(keys) }
        return FigureRow(
            name: "keys", title: "\(keys) keys that get a token at once, over HTTP", rounds: rounds,
            figures: [
                .init(
                    name: "token_requests", value: wrong ?? Double(keys), goal: .exactly(Double(keys))),
                .init(
                    name: "served", value: outcomes.map { Double($0.served) }.min() ?? 0,
                    goal: .exactly(Double(keys))),
                .init(name: "wall_ms", value: median { $0.seconds * 1e3 }),
                .init(name: "heap_bytes_per_key", value: median { $0.heapBytes / Double(keys) }),
                .init(name: "peak_rss_mib", value: median(\.peakRSSMebibytes)),
            ])
    }

    // MARK: In the client's process

    static func client(_ arguments: [String]) async throws -> Outcome {
        guard arguments.count == 2, let keys = Int(arguments[1]), (1...100_000_000).contains(keys) else {
            throw BenchmarkFailure.failed("client-keys wants a URL and a number")
        }
        Descriptors.raiseLimit()
        let secret = ProcessInfo.processInfo.environment["GATEWAY_BENCH_SECRET"] ?? ""
        let endpoint = try TokenEndpoint(
            arguments[0],
            client: .basic(clientID: EmbeddedGateway.Client().id, secret: Secret(secret)),
            transport: CurlTransport())
        let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
        let before = ProcessUsage.heapKibibytes
        let started = ProcessUsage.now
        let served = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<keys {
                group.addTask {
                    let key = endpoint.key(audiences: ["https://api-\(number).example.com"])
                    return (try? await coordinator.token(for: key)) != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        let seconds = ProcessUsage.now - started
        return Outcome(
            seconds: seconds, served: served, heapBytes: (ProcessUsage.heapKibibytes - before) * 1024,
            peakRSSMebibytes: ProcessUsage.peakRSSMebibytes)
    }
}
