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
    /// Whether the request has ended; otherwise the waiter was cancelled.
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var machine: Machine
        var waiters: [UInt64: Waiter] = [:]
        var cancelled: Set<UInt64> = []
        var lastWaiter: UInt64 = 0
    }

    /// Where the keys are published.
    public let origin: Origin

    private let target: String
    private let transport: any Transport
    private let policy: JSONWebKeySetPolicy
    private let clock: any GatewayClock
    private let state: Locked<State>

    /// Names where an issuer publishes its keys (`jwks_uri` of RFC 8414 §2). Nothing is fetched before a token needs it.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - transport: makes the exchanges.
    ///   - policy: how long keys are used, and how often the issuer is asked.
    ///   - clock: where time comes from.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, transport: any Transport, policy: JSONWebKeySetPolicy = JSONWebKeySetPolicy(),
        clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        let parsed = try ParsedURL(url)
        try parsed.origin.refuseInsecureEndpoint("An issuer's keys are fetched")
        origin = parsed.origin
        target = parsed.target
        self.transport = transport
        self.policy = policy
        self.clock = clock
        state = Locked(State(machine: Machine(policy: policy)))
    }

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
            switch state.withLock({ $0.machine.ask(wanted, hasWaited: hasWaited, now: now) }) {
            case .keys(let keys, let flight):
                if let flight { launch(flight, sent: now) }
                return keys
            case .refuse(let error): throw error
            case .wait(let flight, let isNew):
                if isNew { launch(flight, sent: now) }
                guard await hasEnded(flight) else {
                    throw JSONWebTokenError(
                        .keysUnavailable, "The task was cancelled.", cause: NetworkError.cancelled)
                }
                hasWaited = true
            }
        }
    }

    // MARK: Waiting

    private func hasEnded(_ flight: Machine.Flight) async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let hasEnded = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return false }
                    if state.machine.flight != flight { return true }
                    state.waiters[id] = waiter
                    return nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.resume(returning: false)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
        return hasEnded
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
        let deadline = Deadline(sent + policy.timeout)
        let work = Task.detached { [self] in
            do throws(Failure) {
                let answer = try await fetch(deadline)
                land { $0.received(answer.set, by: flight, sent: sent, lifetime: answer.lifetime) }
            } catch { fail(flight, error) }
        }
        let limit = Task.detached { [self] in
            do { try await clock.sleep(until: deadline.instant) } catch { return }
            fail(flight, Failure("The issuer did not give its keys in time.", NetworkError.timeout))
            work.cancel()
        }
        Task.detached {
            await work.value
            limit.cancel()
        }
    }

    private func fail(_ flight: Machine.Flight, _ failure: Failure) {
        let now = clock.now
        land { $0.failed(failure.error, by: flight, retryAfter: failure.retryAfter, now: now) }
    }

    private func land(_ event: (inout Machine) -> Bool) {
        let waiters = state.withLock { state -> [Waiter] in
            guard event(&state.machine) else { return [] }
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }

    private func fetch(_ deadline: Deadline) async throws(Failure) -> Answer {
        let request = HTTPRequest(
            method: .get, origin: origin, target: target,
            fields: [.accept: "application/jwk-set+json, application/json"])
        var context = RequestContext(operation: "jwks", clock: clock).limited(to: deadline)
        context.response = .collect(upToBytes: policy.maximumBytes)
        let response: HTTPResponse
        let body: [UInt8]
        do throws(NetworkError) {
            response = try await transport.send(request, context: context)
            body = try await response.body.collect(upToBytes: policy.maximumBytes)
        } catch {
            throw Failure(
                "The issuer's keys could not be fetched (\(error.code)).", error.code,
                retryAfter: error.retryAfter)
        }
        guard response.exchange.origin == origin, !(300..<400).contains(response.status) else {
            throw Failure(
                "The issuer's keys are said to be elsewhere: configure their place.",
                NetworkError.redirectRefused)
        }
        guard response.status == 200 else {
            let retryAfter = response.fields[.retryAfter].flatMap {
                RetryAfter.parse($0, unixTime: clock.unixTime)
            }
            throw Failure(
                "The issuer answered \(response.status) in place of its keys.",
                NetworkError.unacceptableStatus,
                retryAfter: retryAfter)
        }
        do throws(JSONWebKeyError) {
            return Answer(
                set: try JSONWebKeySet(jsonBytes: body), lifetime: CacheLifetime.told(by: response.fields))
        } catch { throw Failure("The issuer's answer is no set of keys.", NetworkError.malformedResponse) }
    }
}
