import GatewayClient
import GatewayOfflineQueue
import GatewayTesting

/// The HTTP server of the service: that of the test kit, so that this sample needs no other package. It is on 127.0.0.1,
/// over plain HTTP, with whole bodies. A service has Hummingbird, Vapor or another server in its place.
final class Server: EnginePart {
    private let gateway: EmbeddedGateway

    init(port: UInt16) throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.port = port
        gateway = try EmbeddedGateway.start(configuration)
    }

    var origin: Origin { gateway.origin }

    func route(
        _ method: HTTPMethod, _ path: String,
        _ handler: @escaping @Sendable (EmbeddedGateway.Request) async throws -> EmbeddedGateway.Reply
    ) {
        gateway.route(method, path) { request async -> EmbeddedGateway.Reply in
            do { return try await handler(request) } catch { return .problem(error) }
        }
    }

    func end(until deadline: Deadline) async { await gateway.shutdown(within: deadline.remaining(at: .now)) }
}

extension EmbeddedGateway.Request {
    /// The `{id}` of the route.
    var id: String { parameters["id"] ?? "" }
}

extension EmbeddedGateway.Reply {
    /// A response with a value of the document.
    static func value(_ value: some JSONEncodable, status: Int = 200) throws -> Self {
        Self(status: status, fields: [.contentType: "application/json"], body: try value.jsonBytes())
    }

    /// The response to an error, as problem details. What the API says about a request is for the caller.
    static func problem(_ error: any Error) -> Self {
        switch error {
        case let error as JSONError: return .problem(400, "\(error)")
        case let error as WebhookError: return .problem(error.isForged ? 401 : 400, error.message)
        case let error as QueueError: return .problem(503, error.message)
        case let error as any GatewayCallError:
            if let status = error.status, [404, 409, 422].contains(status) {
                return .problem(status, error.problem?.detail ?? error.messageForPeople)
            }
            let isTemporary = error.guidance == .retry
            var reply = problem(
                isTemporary ? 503 : 502, error.messageForPeople, ["code": .string(error.code.name)])
            if isTemporary { reply.fields[.retryAfter] = "\(error.retryAfter?.components.seconds ?? 5)" }
            return reply
        default: return .problem(500, "The request failed.")
        }
    }
}
