import GatewayCore
import GatewayOpenAPI
import GatewayTesting

/// An engine that answers by a script, and stamps credentials as a real one does.
struct ScriptedEngine: RequestEngine {
    let transport: ScriptedTransport
    let services: EngineServices

    init(_ replies: ScriptedTransport.Reply..., plainHTTP: PlainHTTPHosts = .none) {
        let replies = replies
        services = EngineServices(plainHTTP: plainHTTP)
        transport = ScriptedTransport { _, index in replies[min(index, replies.count - 1)] }
    }

    init(_ script: @escaping ScriptedTransport.Script) {
        services = EngineServices()
        transport = ScriptedTransport(script)
    }

    var requests: [HTTPRequest] { transport.requests }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        var request = request
        var stamp: CredentialStamp?
        if let credentials = context.credentials {
            // A token may be rejected between being ready and being stamped.
            while stamp == nil {
                try await credentials.ready(atLeast: context.minimumGeneration, deadline: context.deadline)
                stamp = try credentials.stamp(&request, atLeast: context.minimumGeneration)
            }
        }
        var response = try await transport.send(request, context: context)
        response.exchange.stamp = stamp
        return response
    }
}

extension ScriptedTransport.Reply {
    static func json(_ status: Int, _ body: String) -> Self { json(status, HTTPFields(), body) }

    static func json(_ status: Int, _ fields: HTTPFields, _ body: String) -> Self {
        var fields = fields
        fields[.contentType] = status < 400 ? "application/json; charset=utf-8" : "application/problem+json"
        return .status(status, fields: fields, body)
    }
}

extension APIError {
    /// Why there is no usable response.
    var networkError: NetworkError? {
        guard case .failed(let error) = failure else { return nil }
        return error
    }
}

extension HTTPRequest {
    var bodyText: String { String(decoding: body.bytes ?? [], as: UTF8.self) }
}

extension BookshopClient {
    static func scripted(
        _ engine: ScriptedEngine, token: String? = "t", server: Server = Server(url: "https://api.test/v1/"),
        defaults: CallOptions = CallOptions()
    ) -> BookshopClient {
        BookshopClient(
            server: server, credentials: .init(bookshopAuth: token.map { .token($0) }), defaults: defaults,
            engine: engine)
    }
}
