import GatewayClient
import GatewayTesting
import Testing

/// Strict transport security in the whole stack.
@Suite struct StrictTransportTests {
    private static func engine(_ transport: ScriptedTransport, store: HSTSPolicyStore?) throws
        -> GatewayEngine
    {
        var configuration = GatewayConfiguration()
        configuration.strictTransport = store
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("hunter2"))),
            scope: try CredentialScope(["https://a.example", "http://127.0.0.1:80"]))
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// A call is turned before anybody asks whose credential it carries: it has that of `https`, and goes there.
    @Test func aTurnedCallCarriesTheCredentialOfWhereItGoes() async throws {
        let transport = ScriptedTransport(.status(200, fields: ["Strict-Transport-Security": "max-age=60"]))
        let engine = try Self.engine(transport, store: HSTSPolicyStore())
        for url in ["http://a.example/", "https://a.example/", "http://a.example/"] {
            _ = try await engine.send(try HTTPRequest(.get, url))
        }
        #expect(transport.requests.map(\.origin.scheme) == [.http, .https, .https])
        #expect(transport.requests.map { $0.fields.contains(.authorization) } == [false, true, true])
    }

    /// Without the option calls go where they are told to.
    @Test func itIsOffByDefault() async throws {
        #expect(GatewayConfiguration().strictTransport == nil)
        let transport = ScriptedTransport(.status(200, fields: ["Strict-Transport-Security": "max-age=60"]))
        let engine = try Self.engine(transport, store: nil)
        for url in ["https://a.example/", "http://a.example/"] {
            _ = try await engine.send(try HTTPRequest(.get, url))
        }
        #expect(transport.requests.map(\.origin.scheme) == [.https, .http])
    }
}
