import BookshopAPI
import GatewayClient

// The examples of Connections.md.

/// HTTP/2.
func http2() {
    var configuration = GatewayConfiguration()
    configuration.transport.httpVersion = .http2
    _ = configuration
}

/// Private certificate authorities, and a certificate of the client.
func certificates() {
    var configuration = GatewayConfiguration()
    configuration.transport.caFile = "/etc/my-service/ca.pem"
    configuration.transport.clientCertificate = .init(
        certificateFile: "/etc/my-service/tls.crt", keyFile: "/etc/my-service/tls.key")
    _ = configuration
}

/// A proxy.
func proxy(password: Secret) {
    var configuration = GatewayConfiguration()
    configuration.transport.proxy = .init(
        host: "proxy.example.com", port: 3128, username: "my-service", password: password)
    _ = configuration
}

/// Another address for a host.
func anotherAddress() {
    var configuration = GatewayConfiguration()
    configuration.transport.detours = [
        .init(host: "api.example.com", port: 443, toHost: "127.0.0.1", toPort: 8443)
    ]
    _ = configuration
}

struct RequestLog: CallMiddleware {
    func willSend(_ request: inout HTTPRequest, of call: MiddlewareCall) async throws -> HTTPResponse? {
        print(call.operation.id, request.method, request.origin, request.target, request.fields.map(\.name))
        return nil
    }
}

/// What a client sends.
func requestOnTheWire() {
    let api = BookshopClient(middleware: [RequestLog()])
    _ = api
}
