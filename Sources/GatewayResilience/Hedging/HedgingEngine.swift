import GatewayCore

/// Sends a second request for `GET` and `HEAD` calls whose response is slow, according to a ``HedgingPolicy``.
///
/// Streams: the head decides. The body of the other response is discarded.
struct HedgingEngine<Below: RequestEngine>: RequestEngine {
    let below: Below
    /// `nil` for no hedges.
    let hedging: Hedging?

    var services: EngineServices { below.services }

    @inline(__always)
    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard let hedging else { return try await below.send(request, context: context) }
        return try await send(request, context, hedging)
    }

    /// Out of line, so that engines without hedges have no larger async frame.
    @inline(never)
    private func send(
        _ request: HTTPRequest, _ context: RequestContext, _ hedging: Hedging
    ) async throws(NetworkError) -> HTTPResponse {
        guard let candidate = hedging.begin(request, context) else {
            return try await below.send(request, context: context)
        }
        guard let delay = candidate.delay else {
            let response = try await below.send(request, context: context)
            hedging.record(response, to: candidate)
            return response
        }
        return try await HedgeRace(below, request, context, hedging, candidate, delay: delay).outcome().get()
    }
}
