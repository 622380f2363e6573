public import GatewayCore

/// Changes calls to `http` into calls to `https` for known HSTS hosts (RFC 6797). It belongs above all layers that depend
/// on the origin, so that a changed call has the credential and limits of its new origin.
public struct StrictTransportEngine: RequestEngine {
    private let below: any RequestEngine
    private let store: HSTSPolicyStore

    /// Makes a layer above an engine. A ``StrictTransportRecorder`` further down fills the store.
    public init(below: any RequestEngine, store: HSTSPolicyStore) {
        self.below = below
        self.store = store
    }

    /// Those of the engine below.
    public var services: EngineServices { below.services }

    /// Makes the call.
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard request.origin.scheme == .http else {
            return try await below.send(request, context: consume context)
        }
        var request = request
        request.origin = store.upgraded(request.origin)
        return try await below.send(request, context: consume context)
    }
}
