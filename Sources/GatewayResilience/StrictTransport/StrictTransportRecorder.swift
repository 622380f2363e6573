public import GatewayCore

/// Learns from each response on the wire whether its host wants to be called over TLS alone. It stands right above a
/// transport, where no response comes from a cache or from another's flight.
public struct StrictTransportRecorder: Transport {
    private let below: any Transport
    private let store: HSTSPolicyStore

    /// Puts the layer over a transport, which must check certificates: what an impostor says is learned as well.
    public init(below: any Transport, store: HSTSPolicyStore) {
        self.below = below
        self.store = store
    }

    /// Makes one exchange.
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let response = try await below.send(request, context: context)
        store.record(response.fields, from: request.origin)
        return response
    }

    /// Closes connections that carry nothing.
    public func dropIdleConnections() { below.dropIdleConnections() }
}
