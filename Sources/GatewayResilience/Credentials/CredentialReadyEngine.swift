public import GatewayCore

/// Waits until the context's credential is at hand, while the call holds no permit of any layer below.
///
/// Layers with permits (circuit breaker, bulkhead) belong between this one and ``CredentialStampEngine``.
public struct CredentialReadyEngine<Below: RequestEngine>: RequestEngine {
    /// How often a credential may vanish between being ready and being stamped.
    private static var rounds: Int { 4 }

    private let below: Below

    /// Puts the layer over an engine.
    public init(below: Below) { self.below = below }

    /// The clock of the engine below.
    public var clock: any GatewayClock { below.clock }

    /// Sends when the credential is ready; at once where the context has none.
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

    /// A function of its own: what it needs room for, no call should carry whose credential is at hand.
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
            .tokenUnavailable, "Tokens expire faster than a request can be sent with them.",
            origin: request.origin)
    }
}

extension NetworkError.Code {
    /// The credential was gone when the attempt was to be stamped. It never leaves this room.
    static let credentialStale = Self("credential_stale", category: .authentication)
}
