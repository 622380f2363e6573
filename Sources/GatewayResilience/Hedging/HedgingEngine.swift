import GatewayCore

/// Sends a second request for reads whose response takes long, as a ``HedgingPolicy`` says.
///
/// Streams: the head decides. The body of the other response is discarded.
struct HedgingEngine<Below: RequestEngine>: RequestEngine {
    let below: Below
    /// `nil` for no hedges.
    let hedging: Hedging?

    init(below: Below, hedging: Hedging?) {
        self.below = below
        self.hedging = hedging
        hedging?.use(below)
    }

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
        guard let (attempt, place) = hedging.schedule(request, context, candidate) else {
            let response = try await below.send(request, context: context)
            hedging.record(response, to: candidate)
            return response
        }
        let race: HedgeRace
        let outcome: HedgeRace.Outcome
        do {
            let response = try await below.send(request, context: attempt)
            hedging.record(response, to: candidate)
            guard let begun = hedging.timer.remove(place) else { return response }
            (race, outcome) = (begun, .success(response))
        } catch {
            guard let begun = hedging.timer.remove(place) else { throw error }
            if error.code == .abandoned { leave(attempt, candidate, hedging) }
            (race, outcome) = (begun, .failure(error))
        }
        return try await race.outcome(ofFirst: outcome).get()
    }

    /// The call goes on without the first attempt, whose latency is recorded when it ends.
    @inline(never)
    private func leave(_ attempt: RequestContext, _ candidate: Hedging.Candidate, _ hedging: Hedging) {
        attempt.whenExchangeEnds { [below] outcome in
            // The transport lives as long as its exchange.
            withExtendedLifetime(below) {
                if case .success(let response) = outcome { hedging.record(response, to: candidate) }
            }
        }
        attempt.abandonment?.seal()
    }
}
