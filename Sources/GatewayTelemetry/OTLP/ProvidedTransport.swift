import GatewayCore

/// The transport of an exporter that an engine provides later. Until then requests fail like those without a network, so that
/// batches wait.
///
/// Nobody shuts it down: it may serve several engines, and its connections are closed when the sink is released.
final class ProvidedTransport: Transport {
    private let files: TLSFiles
    private let provided = Locked<(any Transport)?>(nil)

    init(_ files: TLSFiles) { self.files = files }

    /// Whether an engine has provided the transport.
    var isProvided: Bool { provided.withLock { $0 != nil } }

    /// Takes the transport, unless there is one.
    func use(_ transport: (TLSFiles) -> any Transport) {
        guard provided.withLock({ $0 == nil }) else { return }
        let transport = transport(files)
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
