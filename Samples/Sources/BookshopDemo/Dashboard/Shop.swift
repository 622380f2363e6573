import BookshopAPI
import GatewayClient
import GatewayDashboard
import GatewayNetworkMonitor
import GatewayOfflineQueue
import GatewayTesting

/// An embedded gateway, and clients of it with every layer of an engine, so that each part of the dashboard has something
/// to show.
struct Shop: Sendable {
    let gateway: EmbeddedGateway
    let dashboard: GatewayDashboard
    let engine: GatewayEngine
    let api: BookshopClient
    /// The same, with an empty page in place of one that the server cannot give.
    let search: BookshopClient
    let queue: OfflineQueueEngine

    init(_ gateway: EmbeddedGateway) async throws {
        self.gateway = gateway
        let credential = OAuthCredential.clientCredentials(
            id: gateway.client.id, secret: gateway.client.secret, tokenURL: gateway.tokenURL)

        var configuration = GatewayConfiguration()
        configuration.authentication = try .init(credential, origins: ["\(gateway.origin)"])
        configuration.retry.policy = .attempts(3)
        configuration.protection.circuitBreakers = try CircuitBreakerRegistry(
            hosts: .server, operations: nil)
        configuration.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(48), inAll: 64)
        configuration.protection.rateGate = try RateGate(RateGatePolicy(scope: .operation, firstPace: 50))
        configuration.protection.hedging = HedgingPolicy(minimumDelay: .milliseconds(20))
        configuration.cache = HTTPCache()
        configuration.network = try ReachabilityMonitor()
        var page = GatewayDashboard.Options()
        page.printsLink = false
        dashboard = try GatewayDashboard.start(&configuration, options: page)
        engine = try configuration.makeEngine()

        let server = BookshopClient.Server(url: gateway.apiURL)
        let credentials = BookshopClient.Credentials(bookshopAuth: credential)
        let defaults = CallOptions(deadline: .seconds(5))
        api = BookshopClient(server: server, credentials: credentials, defaults: defaults, engine: engine)
        search = BookshopClient(
            server: server, credentials: credentials, defaults: defaults,
            engine: FallbackEngine(
                below: engine,
                steps: [
                    .init("empty page") { request, _, _ in
                        HTTPResponse(
                            status: 200, fields: [.contentType: "application/json"],
                            body: .bytes(Array(#"{"items":[]}"#.utf8)),
                            exchange: Exchange(origin: request.origin))
                    }
                ]))
        queue = try await OfflineQueueEngine(store: MemoryQueueStore(), engine: engine)
    }

    /// The path of an operation at the gateway.
    func path(_ path: String) -> String { "\(gateway.apiURL.dropFirst("\(gateway.origin)".count))\(path)" }

    /// Ends the calls in progress, then the gateway.
    func shutdown() async {
        await engine.shutdown(within: .seconds(2))
        dashboard.stop()
        gateway.shutdown()
    }
}
