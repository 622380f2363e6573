import GatewayCore
import GatewayListener

/// The steps of a request in the gateway: journal, holds, faults, credential check, route.
final class GatewayPipeline: Sendable {
    let clock: any GatewayClock
    let random: any RandomSource
    let ledger: RequestLedger
    let controls: GatewayControls
    let authorization: AuthorizationServer
    private let tokenPath: String
    private let routes = Locked(RouteTable())

    init(configuration: EmbeddedGateway.Configuration, authorization: AuthorizationServer, tokenPath: String)
    {
        clock = configuration.clock
        random = configuration.random
        ledger = RequestLedger(journalLimit: configuration.journalLimit)
        controls = GatewayControls(random: configuration.random)
        self.authorization = authorization
        self.tokenPath = tokenPath
    }

    func withRoutes<Result: Sendable>(_ body: (inout RouteTable) -> Result) -> Result {
        routes.withLock { body(&$0) }
    }

    /// The state of a request in progress.
    private struct Visit: Sendable {
        var request: EmbeddedGateway.Request
        let number: UInt64
        let requestID: String
        let bearer: BearerCredential
        let isTokenRequest: Bool
        var path = "*"
        var effect: EmbeddedGateway.Fault.Effect?
    }

    /// Handles a received request.
    func receive(_ request: EmbeddedGateway.Request) -> HTTPListener.Disposition {
        let isTokenRequest = request.path == tokenPath
        let requestID = request.fields[.requestID] ?? random.hexadecimal(words: 1)
        let arrival = clock.now
        let number = ledger.arrived { number in
            EmbeddedGateway.JournalEntry(
                number: number, method: request.method, path: String(request.path), arrival: arrival,
                connection: request.connection, requestID: requestID,
                hasIdempotencyKey: request.fields.contains(.idempotencyKey))
        }
        let visit = Visit(
            request: request, number: number, requestID: requestID,
            bearer: isTokenRequest ? .none : authorization.bearer(of: request),
            isTokenRequest: isTokenRequest)
        let holds = controls.holds(for: request, isTokenRequest: isTokenRequest)
        return holds.isEmpty ? passFaults(visit) : pass(holds[...], visit)
    }

    private func pass(_ holds: ArraySlice<EmbeddedGateway.Hold>, _ visit: Visit) -> HTTPListener.Disposition {
        guard let hold = holds.first else { return passFaults(visit) }
        return .wait { resumption in
            hold.arrive(resumption) { self.pass(holds.dropFirst(), visit) }
        }
    }

    private func passFaults(_ visit: Visit) -> HTTPListener.Disposition {
        let decision = controls.decide(visit.request, isTokenRequest: visit.isTokenRequest)
        var visit = visit
        visit.effect = decision.effect
        guard decision.latency > .zero else { return act(visit) }
        return .wait(after(decision.latency) { [visit] in self.act(visit) })
    }

    /// Continues after a delay.
    private func after(
        _ duration: Duration, _ next: @escaping @Sendable () -> HTTPListener.Disposition
    ) -> @Sendable (HTTPListener.Resumption) -> Void {
        let (clock, instant) = (clock, clock.now.adding(duration))
        return { resumption in
            let task = Task {
                // Cancelled only when the server stops; the request does not exist any more then.
                try? await clock.sleep(until: instant)
                resumption.resume(next)
            }
            resumption.cancelAtStop(task)
        }
    }

    private func act(_ visit: Visit) -> HTTPListener.Disposition {
        switch visit.effect {
        case .reply(let reply): return finish(visit, reply)
        case .drop(let reset): return close(visit, reset: reset)
        case .latency, .dropAfterProcessing, .answerLate, .tear, nil: return process(visit)
        }
    }

    private func process(_ visit: Visit) -> HTTPListener.Disposition {
        var visit = visit
        switch withRoutes({ $0.match(visit.request.method, visit.request.path) }) {
        case .nothing: return finish(visit, .problem(404, "There is no such route."))
        case .otherMethods(let methods):
            var reply = EmbeddedGateway.Reply.problem(405, "The route takes other methods.")
            reply.fields["Allow"] = methods.joined(separator: ", ")
            return finish(visit, reply)
        case .route(let route, let parameters):
            visit.path = route.path
            visit.request.parameters = parameters
            switch authorization.check(visit.bearer, against: route.access) {
            case .refused(let reply): return finish(visit, reply)
            case .admitted(let claims): visit.request.token = claims
            }
            switch route.handler {
            case .immediate(let handler): return finish(visit, handler(visit.request))
            case .asynchronous(let handler):
                return .wait { [visit] resumption in
                    let task = Task {
                        let reply = await handler(visit.request)
                        resumption.resume { self.finish(visit, reply) }
                    }
                    resumption.cancelAtStop(task)
                }
            }
        }
    }

    private func finish(_ visit: Visit, _ reply: EmbeddedGateway.Reply) -> HTTPListener.Disposition {
        if case .dropAfterProcessing = visit.effect {
            return close(visit, reset: false, use: reply.refreshTokenUse)
        }
        var reply = reply
        // Any response can have the next nonce (RFC 9449 §8.2).
        if let nonce = authorization.proofs.nonce(visit.isTokenRequest ? .tokenEndpoint : .api) {
            reply.fields["DPoP-Nonce"] = nonce
        }
        if reply.fields[.requestID] == nil { reply.fields.append(.requestID, visit.requestID) }
        record(visit, status: reply.status, use: reply.refreshTokenUse)
        if case .answerLate(let duration) = visit.effect {
            return .wait(after(duration) { [reply] in .reply(reply.message) })
        }
        if case .tear(let bytes) = visit.effect { return .torn(reply.message, afterBytes: bytes) }
        return .reply(reply.message)
    }

    private func close(
        _ visit: Visit, reset: Bool, use: EmbeddedGateway.RefreshTokenUse? = nil
    ) -> HTTPListener.Disposition {
        record(visit, status: nil, use: use)
        return .close(reset: reset)
    }

    private func record(_ visit: Visit, status: Int?, use: EmbeddedGateway.RefreshTokenUse?) {
        ledger.finished(
            visit.number, path: visit.isTokenRequest ? tokenPath : visit.path, status: status,
            isTokenRequest: visit.isTokenRequest, tokenGeneration: visit.bearer.generation,
            wasFaulted: visit.effect != nil, refreshTokenUse: use)
    }
}
