import BenchmarkClients
import GatewayClient

/// What a token that is bound to a key adds to a call (RFC 9449): the processor's time of a proof and its signature,
/// beside that of the token layer.
struct ProofCost {
    let calls: Int
    let rounds: Int

    /// Gives bound tokens that are good for an hour.
    private struct BoundAcquirer: TokenAcquirer {
        let binding: DPoPBinding?

        init(_ binding: DPoPBinding) { self.binding = binding }

        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            TokenGrant(accessToken: Secret(ClientJob.token), expiresIn: .seconds(3600), type: .dpop)
        }
    }

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let alone = TokenLayerCost.Immediate(
            response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin)))
        func engine(_ coordinator: TokenRefreshCoordinator) throws -> AuthenticatedRequestEngine {
            AuthenticatedRequestEngine(
                below: alone, coordinator: coordinator, scope: CredentialScope([request.origin]))
        }
        let bearer = try engine(
            TokenRefreshCoordinator(provider: StaticTokenProvider(Secret(ClientJob.token))))
        let bound = try engine(TokenRefreshCoordinator(acquirer: BoundAcquirer(try DPoPBinding())))
        let times = try await CallCost.times(of: [bearer, bound], request, rounds: rounds, calls: calls)
        let added = CallCost.added(times[1], to: times[0]) / 1_000
        return FigureRow(
            name: "proof", title: "Proof of possession by ES256 on each call, CPU (\(calls) calls a round)",
            rounds: rounds,
            figures: [
                // A signature takes some 30 µs of it; reading the key anew would take thrice that.
                .init(name: "us_per_proof", value: added, goal: .atMost(100))
            ])
    }
}
