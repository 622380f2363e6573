public import GatewayCore

/// Records HSTS hosts from the responses of a transport (RFC 6797). It is directly above the transport,
/// where all responses come from servers, not from a cache or another call's flight.
public struct StrictTransportRecorder: Transport {
    private let below: any Transport
    private let store: HSTSPolicyStore

    /// Makes a layer above a transport, which must verify certificates: the policies of all responses are recorded.
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

    /// Closes idle connections.
    public func dropIdleConnections() { below.dropIdleConnections() }

    /// Shuts the transport below down.
    public func shutdown() async { await below.shutdown() }

    /// The statistics of the transport below.
    public func statistics() async -> TransportStatistics { await below.statistics() }

    /// The value of the transport below.
    public var showsClientCertificate: Bool { below.showsClientCertificate }

    /// The slots of the transport below, with responses recorded.
    public var slots: TransportSlots? {
        below.slots.map {
            TransportSlots(
                admission: $0.admission,
                transport: StrictTransportRecorder(below: $0.transport, store: store))
        }
    }
}
