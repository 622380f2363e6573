import GatewayCore

/// The transport of an exporter that an engine provides later. Until then requests fail like those without a network, so that
/// batches wait.
final class ProvidedTransport: Transport {
    private let provided = Locked<(any Transport)?>(nil)

    /// Takes the transport, unless there is one.
    func use(_ transport: () -> any Transport) {
        guard provided.withLock({ $0 == nil }) else { return }
        let transport = transport()
        provided.withLock { $0 = $0 ?? transport }
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        guard let transport = provided.withLock({ $0 }) else {
            throw NetworkError(
                .noConnection, "No engine has provided a transport yet.", origin: request.origin)
        }
        return try await transport.send(request, context: context)
    }
}
