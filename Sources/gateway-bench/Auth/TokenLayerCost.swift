import BenchmarkClients
import GatewayClient

/// What authentication adds to a call whose token is good: the processor's time of calls to an engine that answers
/// at once, with authentication above it and without.
struct TokenLayerCost {
    let calls: Int
    let rounds: Int

    /// An engine without a network. It stamps as each engine below authentication does.
    struct Immediate: RequestEngine {
        let response: HTTPResponse
        let services = EngineServices()

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            guard let credentials = context.credentials else { return response }
            var request = request
            try await credentials.ready(atLeast: context.minimumGeneration, deadline: context.deadline)
            var response = response
            response.exchange.stamp = try credentials.stamp(&request, atLeast: context.minimumGeneration)
            return response
        }
    }

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let alone = Immediate(
            response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin)))
        let coordinator = TokenRefreshCoordinator(provider: StaticTokenProvider(Secret(ClientJob.token)))
        let authenticated = AuthenticatedRequestEngine(
            below: alone, coordinator: coordinator, scope: CredentialScope([request.origin]))
        // The first calls get the token and warm the caches.
        _ = try await Self.nanoseconds(authenticated, request, calls: 1_000)
        _ = try await Self.nanoseconds(alone, request, calls: 1_000)
        var (with, without): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            with.append(try await Self.nanoseconds(authenticated, request, calls: calls))
            without.append(try await Self.nanoseconds(alone, request, calls: calls))
        }
        let added = zip(with, without).map { $0 - $1 }
        return FigureRow(
            name: "token-layer",
            title: "Token layer on a call with a good token, CPU (\(calls) calls a round)",
            rounds: rounds,
            figures: [
                .init(name: "ns_per_call", value: FigureRow.median(added), goal: .atMost(1_000)),
                .init(name: "ns_with", value: FigureRow.median(with)),
                .init(name: "ns_without", value: FigureRow.median(without)),
            ])
    }

    static func nanoseconds(
        _ engine: some RequestEngine, _ request: HTTPRequest, calls: Int
    ) async throws(NetworkError) -> Double {
        let context = RequestContext()
        let started = ProcessUsage.cpuSeconds
        for _ in 0..<calls { _ = try await engine.send(request, context: context) }
        return (ProcessUsage.cpuSeconds - started) * 1e9 / Double(calls)
    }
}
