import GatewayClient
import GatewayTesting
import Testing

@_spi(Generated) @testable import GatewayOpenAPI

@Suite struct ClientShutdownTests {
    private func client(_ engine: GatewayEngine, ownsEngine: Bool) -> APIClient {
        APIClient(
            server: ServerChoice(url: "https://api.example.com"), credentials: ConfiguredCredentials(),
            defaults: CallOptions(), engine: engine, ownsEngine: ownsEngine)
    }

    /// client.shutdown-own-engine
    @Test(arguments: [true, false])
    func aClientShutsDownTheEngineThatItHasMade(ownsEngine: Bool) async throws {
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport())
        await client(engine, ownsEngine: ownsEngine).shutdown(within: .seconds(5))
        let request = try HTTPRequest(.get, "https://api.example.com/x")
        if ownsEngine {
            let error = await #expect(throws: NetworkError.self) { try await engine.send(request) }
            #expect(error?.code == .closed)
        } else {
            #expect(try await engine.send(request).status == 200)
        }
    }

    /// health.no-secret
    @Test func theTokensOfAClientAreInTheHealthOfItsEngine() async throws {
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport())
        var credentials = ConfiguredCredentials()
        credentials.oauth(
            "login",
            .acquirer(
                ProviderAcquirer(ClosureTokenProvider { throw NetworkError(.reauthenticationRequired, "…") })),
            scopes: "books:read")
        let resolver = SecurityResolver(
            credentials, engine: engine, server: try Origin("https://api.example.com"))
        let source = try #require(
            try resolver.answer(
                to: "login books:read", operation: "list", origin: try Origin("https://api.example.com"))?
                .source)
        #expect(await engine.health().tokens.count == 1)
        await #expect(throws: NetworkError.self) { try await source.ready(atLeast: 0, deadline: nil) }
        let health = await engine.health()
        #expect(health.tokens.first?.failure?.code == .reauthenticationRequired)
        #expect(health.tokens.first?.label.hasPrefix("login") == true)
        #expect(!health.isReady)
    }
}
