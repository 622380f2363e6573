import GatewayCore
import GatewayCurl

/// The transport of token requests. It is started by the first of them: whoever calls without tokens does not pay
/// for it.
final class TokenTransport: Transport {
    private let configuration: CurlConfiguration
    private let started = Locked<CurlTransport?>(nil)

    /// Takes timeouts and TLS from the calls' configuration; token requests are few, so a handful of connections
    /// will do.
    init(configuration: CurlConfiguration) {
        var configuration = configuration
        configuration.connectionsPerOrigin = min(4, configuration.connectionsPerOrigin)
        configuration.connectionsInAll = min(16, configuration.connectionsInAll)
        self.configuration = configuration
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let transport = started.withLock { started in
            let transport = started ?? CurlTransport(configuration: configuration)
            started = transport
            return transport
        }
        return try await transport.send(request, context: context)
    }

    func dropIdleConnections() { started.withLock { $0 }?.dropIdleConnections() }
}
