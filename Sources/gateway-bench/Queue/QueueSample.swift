import GatewayClient
import GatewayOfflineQueue

/// The requests that the benchmark stores: 400 bytes of JSON.
enum QueueSample {
    static let body = HTTPBody.bytes(
        Array(("{\"note\":\"" + String(repeating: "x", count: 389) + "\"}").utf8))

    static func request(to url: String = "https://api.example.com/v1/payments") throws(NetworkError)
        -> HTTPRequest
    {
        try HTTPRequest(.post, url, fields: [.contentType: "application/json"], body: body)
    }

    /// Room for all that a run stores.
    static var configuration: OfflineQueueEngine.Configuration {
        var configuration = OfflineQueueEngine.Configuration()
        configuration.limits = QueueLimits(count: .max, bytes: .max)
        return configuration
    }
}

/// Sends nothing.
struct QueueWithoutServer: RequestEngine {
    let services = EngineServices()

    func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        throw NetworkError(.closed, "The benchmark sends nothing.", origin: request.origin)
    }
}
