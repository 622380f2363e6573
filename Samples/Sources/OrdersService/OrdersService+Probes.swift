import GatewayClient
import GatewayTesting

/// What an orchestrator and Prometheus read.
extension OrdersService {
    func addProbes() {
        server.route(.get, "/healthz") { _ in .text("ok\n") }
        server.route(.get, "/readyz") { [engine] _ in
            try? await engine.warmUp(until: .after(.seconds(1)))
            let health = await engine.health()
            return try .value(health.json, status: health.isReady ? 200 : 503)
        }
        server.route(.get, "/metrics") { [telemetry] request in
            let (contentType, bytes) = await telemetry.metrics.exposition(accepting: request.fields[.accept])
            return .init(fields: [.contentType: contentType], body: bytes)
        }
    }
}
