public import GatewayCore

/// The keys of an issuer, fetched from where it publishes them and renewed in time.
///
/// One request serves any number of tokens that wait, and outlives each of them. What an answer's `Cache-Control` says
/// is followed within the policy's bounds. A token with an unknown key causes one request in a cool-down at most, so
/// that strangers cannot make a flood of requests with tokens that they made up. While the issuer is down the keys at
/// hand are used on, for a while.
///
/// A transport makes exactly one exchange, so that no redirect is followed and no credential is sent.
public final class JSONWebKeySetSource: Sendable {
    private typealias Machine = JSONWebKeySetStateMachine
    /// Where the keys are published.
    public let origin: Origin

    private let target: String
    private let transport: any Transport
    private let policy: JSONWebKeySetPolicy
    private let clock: any GatewayClock
    private let machine: Locked<Machine>
    private let waiters = FlightWaiters<Void>()

    /// Names where an issuer publishes its keys (`jwks_uri` of RFC 8414 §2). Nothing is fetched before a token needs it.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - transport: makes the exchanges.
    ///   - policy: how long keys are used, and how often the issuer is asked.
    ///   - clock: where time comes from.
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
        machine = Locked(Machine(policy: policy))
    }

    /// How many tokens wait for a request.
    var waiterCount: Int { waiters.count }

    /// The keys that were received last; `nil` before the first answer, and when they were not used for too long.
    public var current: JSONWebKeySet? { machine.withLock { $0.current } }

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
            switch machine.withLock({ $0.ask(wanted, hasWaited: hasWaited, now: now) }) {
            case .keys(let keys, let flight):
                if let flight { launch(flight, sent: now) }
                return keys
            case .refuse(let error): throw error
            case .wait(let flight, let isNew):
                if isNew { launch(flight, sent: now) }
                let landing: @Sendable () -> Void? = { [self] in
                    machine.withLock { $0.flight == flight ? nil : () }
                }
                guard case .landed = await waiters.wait(for: flight, clock: clock, landing: landing) else {
                    throw JSONWebTokenError(
                        .keysUnavailable, "The task was cancelled.", cause: NetworkError.cancelled)
                }
                hasWaited = true
            }
        }
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
    private func launch(_ flight: Machine.Flight, sent: ContinuousClock.Instant) {
        let deadline = Deadline(sent.adding(policy.timeout))
        FlightWaiters<Void>.launch(until: deadline, clock: clock) { [self] in
            do throws(Failure) {
                let answer = try await fetch(deadline)
                land(flight) { $0.received(answer.set, by: flight, sent: sent, lifetime: answer.lifetime) }
            } catch { fail(flight, error) }
        } orLate: { [self] in
            fail(flight, Failure("The issuer did not give its keys in time.", NetworkError.timeout))
        }
    }

    private func fail(_ flight: Machine.Flight, _ failure: Failure) {
        let now = clock.now
        land(flight) { $0.failed(failure.error, by: flight, retryAfter: failure.retryAfter, now: now) }
    }

    private func land(_ flight: Machine.Flight, _ event: (inout Machine) -> Bool) {
        if machine.withLock({ event(&$0) }) { waiters.land(flight, ()) }
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
                "The issuer's keys could not be fetched (\(error.code)).", error.code,
                retryAfter: error.retryAfter)
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
