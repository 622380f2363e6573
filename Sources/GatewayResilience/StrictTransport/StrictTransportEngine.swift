public import GatewayCore

/// Sends to `https` what was to go to `http`, where the host wants that (RFC 6797). It stands above everything that
/// looks at the origin: a call that it turns carries the credential, and has the limits, of where it goes.
public struct StrictTransportEngine: RequestEngine {
    private let below: any RequestEngine
    private let store: HSTSPolicyStore

    /// Puts the layer over an engine. Who fills the store is a ``StrictTransportRecorder`` below.
    public init(below: any RequestEngine, store: HSTSPolicyStore) {
        self.below = below
        self.store = store
    }

    /// The clock of the engine below.
    public var clock: any GatewayClock { below.clock }
    /// Those of the engine below.
    public var plainHTTP: PlainHTTPHosts { below.plainHTTP }

    /// Makes the call.
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard request.origin.scheme == .http else { return try await below.send(request, context: context) }
        var request = request
        request.origin = store.upgraded(request.origin)
        return try await below.send(request, context: context)
    }
}
