public import GatewayCore

/// The keys of an issuer, fetched from its URL and refreshed before they expire.
///
/// Concurrent verifications share one request, which continues if one of them is cancelled. The `Cache-Control` of the
/// response is respected within the limits of the policy. Tokens with unknown keys cause at most one request per
/// cool-down, so that forged tokens cannot cause many requests. While the issuer is unavailable, the last keys are used
/// for a limited time.
///
/// Redirects are not followed, and no credentials are sent.
public final class JSONWebKeySetSource: Sendable {
    private typealias Machine = JSONWebKeySetStateMachine

    private struct State {
        var machine: Machine
        /// The request in progress.
        var flight: SharedFlight<Void>?
    }

    /// A request to start.
    private struct Started {
        let id: Machine.Flight
        let flight: SharedFlight<Void>
    }

    /// The next step of a verification.
    private enum Step {
        case keys([JSONWebTokenKey])
        case refuse(JSONWebTokenError)
        case wait(SharedFlight<Void>, SharedFlight<Void>.WaiterID)
    }

    /// The origin of the key set.
    public let origin: Origin

    private let target: String
    private let transport: any Transport
    private let policy: JSONWebKeySetPolicy
    private let clock: any GatewayClock
    private let state: Locked<State>

    /// Creates a source for a URL (`jwks_uri` of RFC 8414 §2). The keys are fetched when they are first needed.
    ///
    /// - Parameters:
    ///   - url: an absolute `https` URL, or `http` with a loopback address (127.0.0.0/8, `[::1]`).
    ///   - transport: the transport for the requests.
    ///   - policy: how long keys are used, and how often they are fetched.
    ///   - clock: the source of time.
    ///   - plainHTTP: the hosts that may be called over plain HTTP. Only complete host names are used.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, transport: any Transport, policy: JSONWebKeySetPolicy = JSONWebKeySetPolicy(),
        clock: any GatewayClock = SystemClock(), plainHTTP: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        let parsed = try ParsedURL(url)
        try parsed.origin.refuseInsecureEndpoint("An issuer's key set", allowing: plainHTTP)
        origin = parsed.origin
        target = parsed.target
        self.transport = transport
        self.policy = policy
        self.clock = clock
        state = Locked(State(machine: Machine(policy: policy)))
    }

    /// The number of verifications that are waiting for a request.
    var waiterCount: Int { state.withLock { $0.flight?.waiterCount ?? 0 } }

    /// The last keys that were received; `nil` before the first response, and after a verification found that they are
    /// too old.
    public var current: JSONWebKeySet? { state.withLock { $0.machine.current } }

    /// The keys that can verify a token.
    ///
    /// - Throws: ``JSONWebTokenError`` with code `unknownKey` or `keysUnavailable`.
    func candidates(
        keyID: String?, algorithm: JSONWebTokenAlgorithm
    ) async throws(JSONWebTokenError) -> [JSONWebTokenKey] {
        let wanted = Machine.Wanted(keyID: keyID, algorithm: algorithm)
        var hasWaited = false
        while true {
            let now = clock.now
            let (step, started) = state.withLock { state -> (Step, Started?) in
                let answer = state.machine.ask(wanted, hasWaited: hasWaited, now: now)
                return self.step(after: answer, &state)
            }
            if let started { launch(started, sent: now) }
            switch step {
            case .keys(let keys): return keys
            case .refuse(let error): throw error
            case .wait(let flight, let waiter):
                guard case .value = await flight.outcome(of: waiter) else {
                    throw JSONWebTokenError(
                        .keysUnavailable, "The task was cancelled.", cause: NetworkError.cancelled)
                }
                hasWaited = true
            }
        }
    }

    /// Joins or starts the request of an answer.
    ///
    /// - Returns: the next step of the verification, and the request to start.
    private func step(after answer: Machine.Answer, _ state: inout State) -> (Step, Started?) {
        switch answer {
        case .keys(let keys, nil): return (.keys(keys), nil)
        case .keys(let keys, let id?): return (.keys(keys), begin(id, &state))
        case .refuse(let error): return (.refuse(error), nil)
        case .wait(let id, let isNew):
            let started = isNew || state.flight == nil ? begin(id, &state) : nil
            let flight = started?.flight ?? state.flight ?? SharedFlight(clock: clock)
            return (.wait(flight, flight.join()), started)
        }
    }

    private func begin(_ id: Machine.Flight, _ state: inout State) -> Started {
        let flight = SharedFlight<Void>(clock: clock)
        state.flight = flight
        return Started(id: id, flight: flight)
    }

    // MARK: Fetching

    private struct Answer {
        let set: JSONWebKeySet
        let lifetime: Duration?
    }

    private struct Failure: Error {
        let error: JSONWebTokenError
        var retryAfter: Duration?

        init(_ message: String, _ cause: NetworkError.Code, retryAfter: Duration? = nil) {
            error = JSONWebTokenError(.keysUnavailable, message, cause: cause)
            self.retryAfter = retryAfter
        }
    }

    /// Makes a request in a separate task, which does not end with the tasks that wait for it.
    private func launch(_ started: Started, sent: ContinuousClock.Instant) {
        let deadline = Deadline(sent.adding(policy.timeout))
        let id = started.id
        started.flight.launch(until: deadline) { [self] in
            do throws(Failure) {
                let answer = try await fetch(deadline)
                land { $0.received(answer.set, by: id, sent: sent, lifetime: answer.lifetime) }
            } catch { fail(id, error) }
        } orLate: { [self] in
            fail(id, Failure("The issuer did not give its keys in time.", NetworkError.timeout))
        }
    }

    private func fail(_ id: Machine.Flight, _ failure: Failure) {
        let now = clock.now
        land { $0.failed(failure.error, by: id, retryAfter: failure.retryAfter, now: now) }
    }

    /// Ends the request in progress, if the event is from this request.
    private func land(_ event: (inout Machine) -> Bool) {
        let flight = state.withLock { state -> SharedFlight<Void>? in
            guard event(&state.machine) else { return nil }
            defer { state.flight = nil }
            return state.flight
        }
        flight?.land(())
    }

    private func fetch(_ deadline: Deadline) async throws(Failure) -> Answer {
        let request = HTTPRequest(
            method: .get, origin: origin, target: target,
            fields: [.accept: "application/jwk-set+json, application/json"])
        let answer: SmallAnswer
        do throws(NetworkError) {
            answer = try await transport.smallAnswer(
                to: request, "jwks", upToBytes: policy.maximumBytes, by: deadline, clock: clock)
        } catch {
            throw Failure(
                error.code == .responseTooLarge
                    ? "The issuer's key set is larger than \(policy.maximumBytes) bytes."
                    : "The issuer's keys could not be fetched (\(error.code)).",
                error.code, retryAfter: error.retryAfter)
        }
        guard answer.origin == origin, !(300..<400).contains(answer.status) else {
            throw Failure(
                "The issuer's keys are said to be elsewhere: configure their place.",
                NetworkError.redirectRefused)
        }
        guard answer.status == 200 else {
            throw Failure(
                "The issuer answered \(answer.status) in place of its keys.",
                NetworkError.unacceptableStatus, retryAfter: answer.retryAfter)
        }
        do throws(JSONWebKeyError) {
            return Answer(
                set: try JSONWebKeySet(jsonBytes: answer.body),
                lifetime: CacheLifetime.told(by: answer.fields))
        } catch { throw Failure("The issuer's answer is no set of keys.", NetworkError.malformedResponse) }
    }
}
