internal import GatewayAuth
internal import GatewayCore

/// Sends token requests through an engine that has no token transport: without credentials, without retries, and
/// without following redirects.
struct EngineTransport: Transport {
    private struct Once: RetryPolicy {
        func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
    }

    let engine: any RequestEngine

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        var context = context
        context.credentials = nil
        context.isAnonymous = true
        context.retry = Once()
        context.followsRedirects = false
        return try await engine.send(request, context: context)
    }

    /// The token transport of an engine, otherwise the engine itself.
    static func forTokens(of engine: any RequestEngine) -> any Transport {
        engine.services.tokenTransport ?? EngineTransport(engine: engine)
    }
}
