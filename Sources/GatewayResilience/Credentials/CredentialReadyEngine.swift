public import GatewayCore

/// Waits until the context's credential is available, while the call holds no permit of a layer below.
///
/// Layers with permits (circuit breaker, bulkhead) belong between this layer and ``CredentialStampEngine``.
public struct CredentialReadyEngine<Below: RequestEngine>: RequestEngine {
    /// How often a credential may expire between being ready and being stamped.
    private static var rounds: Int { 4 }

    private let below: Below

    /// Makes a layer above an engine.
    public init(below: Below) { self.below = below }

    /// The clock of the engine below.
    public var clock: any GatewayClock { below.clock }

    /// Makes the call when the credential is ready; at once if the context has no credential.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        if Self.isReady(context) {
            do {
                return try await below.send(request, context: context)
            } catch {
                guard error.code == .credentialStale else { throw error }
            }
        }
        return try await wait(request, context: context)
    }

    private static func isReady(_ context: RequestContext) -> Bool {
        context.credentials?.isReady(atLeast: context.minimumGeneration) ?? true
    }

    /// Out of line, to keep the async frame of calls with a ready credential small.
    @inline(never)
    private func wait(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        for _ in 0..<Self.rounds {
            try await context.credentials?.ready(
                atLeast: context.minimumGeneration, deadline: context.deadline)
            do {
                return try await below.send(request, context: context)
            } catch {
                guard error.code == .credentialStale else { throw error }
            }
        }
        throw NetworkError(
            .tokenUnavailable,
            "Each new token expired before a request could be sent with it: check the tokens' lifetime and the clock.",
            origin: request.origin)
    }
}

extension NetworkError.Code {
    /// The credential expired before the attempt was stamped. Internal to this module.
    static let credentialStale = Self("credential_stale", category: .authentication)
}
