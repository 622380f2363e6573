public import GatewayCore

/// The keys of an issuer, fetched from where it publishes them and renewed in time.
///
/// One request serves any number of waiting tokens, and goes on when one of them is cancelled. The `Cache-Control` of the
/// response is obeyed within the policy's limits. Tokens with unknown keys cause at most one request in a cool-down, so
/// that forged tokens cannot cause many requests. While the issuer is down, the last keys are used for a limited time.
///
/// A transport makes exactly one exchange, so that no redirect is followed and no credential is sent.
public final class JSONWebKeySetSource: Sendable {
    private typealias Machine = JSONWebKeySetStateMachine

    private struct State {
        var machine: Machine
        /// The request in progress.
        var flight: SharedFlight<Void>?
    }

    /// A request to make.
    private struct Started {
        let id: Machine.Flight
        let flight: SharedFlight<Void>
    }

    /// What is done for a token.
    private enum Step {
        case keys([JSONWebTokenKey])
        case refuse(JSONWebTokenError)
        case wait(SharedFlight<Void>, SharedFlight<Void>.WaiterID)
    }

    /// Where the keys are published.
    public let origin: Origin

    private let target: String
    private let transport: any Transport
    private let policy: JSONWebKeySetPolicy
    private let clock: any GatewayClock
    private let state: Locked<State>

    /// Makes a source of the keys at a URL (`jwks_uri` of RFC 8414 §2). Nothing is fetched before a token needs it.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - transport: makes the exchanges.
    ///   - policy: how long keys are used, and how often the issuer is asked.
    ///   - clock: the source of time.
    ///   - plainHTTP: the hosts that are called over plain HTTP; only those that it names in full.
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

    /// How many tokens wait for a request.
    var waiterCount: Int { state.withLock { $0.flight?.waiterCount ?? 0 } }

    /// The keys that were received last; `nil` before the first answer, and when they were not used for too long.
    public var current: JSONWebKeySet? { state.withLock { $0.machine.current } }

    /// The keys that may have signed a token.
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

    /// Joins or begins the request that an answer names.
    ///
    /// - Returns: what to do for the token, and the request to make.
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

    /// Makes a request in a task of its own: it belongs to none of those who wait.
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

    /// Ends the request in progress, if the event says that it was this one.
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
