import GatewayClient
import GatewayOfflineQueue
import GatewayTelemetry

/// The service: an engine with one credential, and everything that uses it.
struct OrdersService: Sendable {
    let engine: GatewayEngine
    let api: OrdersClient
    let queue: OfflineQueueEngine
    let telemetry: ClientTelemetry
    let changes = ChangeLog()
    let server: Server

    init(port: UInt16, webhookSecret: SecretSource) async throws {
        let environment = try GatewayEnvironment()
        telemetry = try .environment()
        var configuration = environment.configuration()
        configuration.events = telemetry
        configuration.cache = configuration.cache ?? HTTPCache()
        configuration.protection.circuitBreakers =
            try configuration.protection.circuitBreakers
            ?? CircuitBreakerRegistry(hosts: .server, operations: .server)
        engine = try configuration.makeEngine()
        api = OrdersClient(server: .init(environment, or: .production), engine: engine)
        queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: SQLiteQueueStore.environmentPath()), engine: engine,
            configuration: .environment())
        server = try Server(port: port)
        addOrderRoutes()
        addQueueRoutes()
        addChangeRoutes(try WebhookVerifier(secret: try await webhookSecret.read()))
        addProbes()
        await queue.start()
        changes.follow(api)
        // The part that joined last ends first: the server, then what follows the changes, then the queue.
        engine.join(changes)
        engine.join(server)
    }
}
