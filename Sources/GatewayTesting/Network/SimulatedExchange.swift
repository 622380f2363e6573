import GatewayCore

/// One exchange over a ``SimulatedNetwork``, with its time limits and errors.
struct SimulatedExchange {
    private let request: HTTPRequest
    private let context: RequestContext
    private let clock: any GatewayClock
    private let begin: ContinuousClock.Instant

    init(request: HTTPRequest, context: RequestContext, clock: any GatewayClock) {
        self.request = request
        self.context = context
        self.clock = clock
        begin = clock.now
    }

    private var host: String { request.origin.hostAndPort }

    /// Throws if the call has already ended, so that nothing is sent.
    func checkBegin() throws(NetworkError) {
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the request was sent.", origin: request.origin,
                phase: .queue)
        }
        guard context.deadline?.hasPassed(at: begin) != true else {
            throw NetworkError(
                .timeout, "The call's deadline passed before the request to \(host) was sent.",
                origin: request.origin, phase: .queue, limit: .call)
        }
    }

    /// Waits for a duration from now. Throws earlier at the deadline of the call, the limit of the attempt, or the
    /// limit of the phase. The limits are measured from the start of the exchange.
    func wait(
        _ duration: Duration, limit: Duration?, in phase: NetworkError.Phase, wasSent: Bool
    ) async throws(NetworkError) {
        let now = clock.now
        var expiry: (at: ContinuousClock.Instant, limit: NetworkError.Phase)?
        for (at, name) in [
            // If several limits end at the same time, the deadline of the call is reported.
            (context.deadline?.instant, .call), (context.limits?.whole.map(begin.adding), .attempt),
            (limit.map(begin.adding), phase == .resolve ? .connect : phase),
        ] as [(ContinuousClock.Instant?, NetworkError.Phase)] {
            if let at, expiry.map({ at < $0.at }) ?? true { expiry = (at, name) }
        }
        let due = now.adding(duration)
        let end = min(due, expiry?.at ?? due)
        if end > now {
            do { try await clock.sleep(until: end) } catch {
                throw NetworkError(
                    .cancelled, "The task was cancelled.", origin: request.origin, phase: phase, attempts: 1,
                    mayHaveBeenSent: wasSent)
            }
        }
        guard let expiry, expiry.at < due else { return }
        throw NetworkError(
            .timeout, "The simulated network took longer than the time limit (\(expiry.limit.rawValue)).",
            origin: request.origin, phase: phase, limit: expiry.limit, attempts: 1, mayHaveBeenSent: wasSent)
    }

    /// The error of a failure, without its delay.
    func error(_ failure: NetworkProfile.Failure) -> NetworkError {
        let (code, phase, wasSent): (NetworkError.Code, NetworkError.Phase, Bool) =
            switch failure {
            case .noConnection: (.noConnection, .connect, false)
            case .dnsFailure: (.dnsFailure, .resolve, false)
            case .connectionRefused: (.connectionRefused, .connect, false)
            case .connectionTimeout: (.timeout, .connect, false)
            case .requestLost: (.connectionLost, .send, true)
            case .responseLost: (.connectionLost, .firstByte, true)
            case .responseTimeout: (.timeout, .firstByte, true)
            }
        return NetworkError(
            code, "The simulated network failed the exchange with \(host).", origin: request.origin,
            phase: phase,
            attempts: 1, mayHaveBeenSent: wasSent)
    }
}
