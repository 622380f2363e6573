internal import GatewayAuth
internal import GatewayCore

/// Token requests through an engine that has no transport for them: without credentials, sent once, and to no other
/// origin: a redirect is returned.
struct EngineTransport: Transport {
    private struct Once: RetryPolicy {
        func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
    }

    let engine: any RequestEngine

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        var context = context
        context.credentials = nil
        context.retry = Once()
        context.followsRedirects = false
        return try await engine.send(request, context: context)
    }

    /// The transport that an engine has for tokens, else the engine itself.
    static func forTokens(of engine: any RequestEngine) -> any Transport {
        engine.offer((any TokenTransportProviding).self)?.tokenTransport ?? EngineTransport(engine: engine)
    }
}
