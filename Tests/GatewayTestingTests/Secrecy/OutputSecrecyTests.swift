import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// Goes through what can happen to a token and a call, and shows all of it at the highest level of logging, so that
/// the search of a run's output (`scripts/check-secrets.sh`) has something to search. Looks itself as well.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct OutputSecrecyTests {
    /// Everything that has come by, as text.
    private final class Output: Sendable {
        private let text = Locked("")

        func show(_ value: Any) {
            TestTrace.show(value)
            var shown = "\(value)\n\(String(reflecting: value))\n"
            dump(value, to: &shown)
            text.withLock { $0 += shown }
            if let underlying = (value as? NetworkError)?.underlying { show(underlying) }
        }

        func holds(_ secret: Secret) -> Bool { text.withLock { $0.contains(secret.exposed) } }
        var isEmpty: Bool { text.withLock { $0.isEmpty } }
    }

    private let output = Output()

    private func endpoint(_ gateway: EmbeddedGateway, secret: Secret? = nil) throws -> TokenEndpoint {
        let client = ClientAuthentication.basic(
            clientID: gateway.client.id, secret: secret ?? gateway.client.secret)
        return try TokenEndpoint(gateway.tokenURL, client: client, transport: CurlTransport())
    }

    /// Makes a call and shows all that comes of it.
    private func call(
        _ engine: AuthenticatedRequestEngine, _ gateway: EmbeddedGateway, query: String = ""
    ) async throws {
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        let request = try HTTPRequest(.get, gateway.apiURL + "/books?q=" + query)
        output.show(request)
        do {
            let response = try await engine.send(request, context: context)
            output.show(response)
        } catch { output.show(error) }
        output.show(recorder.events)
    }

    @Test func nothingOfAWholeRunIsPrinted() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let signedIn = try gateway.signIn()
        let output = output
        var secrets = [signedIn.access.token, signedIn.refreshToken, gateway.client.secret]
        let acquirer = RefreshTokenGrant(endpoint: try endpoint(gateway), initial: signedIn.refreshToken)
        let store = MemoryTokenStore()
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, store: store) { output.show($0) }
        let engine = AuthenticatedRequestEngine(
            transport: CurlTransport(), coordinator: coordinator, scope: CredentialScope([gateway.origin]))
        try await call(engine, gateway)
        secrets.append(try await coordinator.token().accessToken)
        // A rejected token is renewed, and a query may hold a secret of its own.
        gateway.revokeCurrentTokens()
        try await call(engine, gateway, query: signedIn.refreshToken.exposed)
        // Every way in which an exchange with the token endpoint fails.
        for fault in [
            EmbeddedGateway.Fault.status(503, retryAfter: .seconds(1)), .drop,
            .dropAfterProcessing, .tear(afterBytes: 40),
        ] {
            gateway.inject(fault, into: .token, times: 1)
            gateway.revokeCurrentTokens()
            coordinator.signIn(with: try grant(gateway, &secrets))
            try await call(engine, gateway)
        }
        // A refresh token that was spent, and a client that is not known.
        gateway.revokeRefreshTokens()
        gateway.revokeCurrentTokens()
        try await call(engine, gateway)
        let wrong = Secret("a wrong secret of a client")
        SecretLedger.note(wrong, .clientSecret)
        let stranger = ClientCredentials(endpoint: try endpoint(gateway, secret: wrong))
        do {
            output.show(
                try await stranger.acquire(
                    TokenRequest(
                        key: .default, previous: nil, previousWasRejected: false,
                        deadline: .after(.seconds(10)))))
        } catch { output.show(error) }
        coordinator.signOut()
        try await call(engine, gateway)
        let record = try await store.load(.default)
        for value: Any in [
            signedIn, gateway, gateway.client, gateway.journal, gateway.statistics, acquirer, stranger,
            coordinator, engine, store, record as Any, secrets,
        ] { output.show(value) }
        #expect(!output.isEmpty)
        for secret in secrets + [wrong] { #expect(!output.holds(secret)) }
    }

    /// What signing in again brings.
    private func grant(_ gateway: EmbeddedGateway, _ secrets: inout [Secret]) throws -> TokenGrant {
        let signedIn = try gateway.signIn()
        secrets += [signedIn.access.token, signedIn.refreshToken]
        let grant = TokenGrant(
            accessToken: signedIn.access.token, expiresIn: .seconds(300), refreshToken: signedIn.refreshToken)
        output.show(grant)
        return grant
    }
}
