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
        let times = try await CallCost.times(
            of: [alone, authenticated], request, rounds: rounds, calls: calls)
        return FigureRow(
            name: "token-layer",
            title: "Token layer on a call with a good token, CPU (\(calls) calls a round)",
            rounds: rounds,
            figures: [
                .init(
                    name: "ns_per_call", value: CallCost.added(times[1], to: times[0]), goal: .atMost(1_000)),
                .init(name: "ns_with", value: FigureRow.median(times[1])),
                .init(name: "ns_without", value: FigureRow.median(times[0])),
            ])
    }
}
