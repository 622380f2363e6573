import GatewayCore

/// Makes one attempt of an entry.
struct QueueSender: Sendable {
    /// How an attempt ended. On the heap: it goes through several arrays until it is told.
    final class Result: Sendable {
        let completion: QueueCompletion
        let effect: SendGate.Effect
        /// The response, if there was one.
        let response: HTTPResponse?
        /// The error, if there was no response.
        let error: NetworkError?
        /// Whether the credential of its account is not available now.
        let lacksCredential: Bool
        /// The login that the attempt was made with, if that is known.
        let identity: CredentialIdentity?

        fileprivate init(
            _ lease: QueueLease, _ result: QueueCompletion.Result, mayHaveBeenSent: Bool = true,
            reason: String?, effect: SendGate.Effect, response: HTTPResponse? = nil,
            error: NetworkError? = nil, lacksCredential: Bool = false, identity: CredentialIdentity? = nil
        ) {
            completion = QueueCompletion(lease, result, mayHaveBeenSent: mayHaveBeenSent, reason: reason)
            self.effect = effect
            self.response = response
            self.error = error
            self.lacksCredential = lacksCredential
            self.identity = identity
        }
    }

    let engine: any RequestEngine
    let configuration: OfflineQueueEngine.Configuration

    /// The attempt is not made.
    static func released(_ lease: QueueLease, _ reason: String?) -> Result {
        Result(lease, .released, mayHaveBeenSent: false, reason: reason, effect: .unknown)
    }

    /// Makes the attempt. It ends early if the task is cancelled.
    func send(_ lease: QueueLease) async -> Result {
        var credentials: (any CredentialSource)?
        if let current = configuration.credentials, let account = lease.item.account {
            credentials = await Self.pinned(account, current)
            guard credentials != nil else {
                return Result(
                    lease, .released, mayHaveBeenSent: false, reason: "not signed in", effect: .unknown,
                    lacksCredential: true)
            }
        }
        let identity = credentials?.identity
        let deadline = Deadline.after(configuration.attemptDeadline, clock: engine.clock)
        var request = lease.item.request
        var hops = 0
        while true {
            let response: HTTPResponse
            do throws(NetworkError) {
                response = try await engine.send(
                    request, context: context(of: lease, credentials).limited(to: deadline))
            } catch {
                // The server that redirected the request has seen it.
                return judged(
                    hops > 0 ? error.with(attempts: error.attempts, mayHaveBeenSent: true) : error, lease,
                    identity)
            }
            guard hops < Self.mostHops, let target = Self.target(of: response, from: request) else {
                return judged(response, lease, identity ?? response.exchange.stamp?.identity)
            }
            hops += 1
            request.target = target
        }
    }

    /// The context of a request. Redirects are not followed by the engine: the queue decides.
    private func context(of lease: QueueLease, _ credentials: (any CredentialSource)?) -> RequestContext {
        var options = CallOptions()
        options.retry = SingleAttempt()
        options.priority = lease.item.priority
        options.isHedged = false
        options.isBackground = true
        var context = RequestContext(options: options, credentials: credentials, clock: engine.clock)
        context.followsRedirects = false
        return context
    }

    /// The credential of an account for one call. The login may change at any moment: it is asked for again after it was
    /// pinned.
    private static func pinned(
        _ account: QueueAccount, _ current: @Sendable (QueueAccount) async -> (any CredentialSource)?
    ) async -> (any CredentialSource)? {
        guard let pinned = await current(account)?.pinned(),
            await current(account)?.identity == pinned.identity
        else { return nil }
        return pinned
    }

    private func judged(
        _ response: HTTPResponse, _ lease: QueueLease, _ identity: CredentialIdentity?
    ) -> Result {
        let facts = QueueVerdict.Facts(
            status: response.status, fields: response.fields, wasSentBefore: lease.wasSentBefore,
            unixTime: configuration.clock.unixTime)
        let verdict = configuration.verdict(facts)
        var effect = SendGate.Effect.reached
        if [429, 503].contains(response.status) {
            let after = response.fields[.retryAfter]
            effect = .pushedBack(after: after.flatMap { RetryAfter.parse($0, unixTime: facts.unixTime) })
        }
        let result: QueueCompletion.Result =
            switch verdict {
            case .done: .done
            case .retry(let after): postponed(lease, after)
            case .park: .parked
            case .poison: .poison
            }
        return Result(
            lease, result, reason: verdict == .done ? nil : "\(response.status)", effect: effect,
            response: response, identity: identity)
    }

    private func judged(
        _ error: NetworkError, _ lease: QueueLease, _ identity: CredentialIdentity?
    ) -> Result {
        let (reason, sent) = (error.code.name, error.mayHaveBeenSent)
        func ended(
            _ result: QueueCompletion.Result, _ effect: SendGate.Effect, lacksCredential: Bool = false
        ) -> Result {
            Result(
                lease, result, mayHaveBeenSent: sent, reason: reason, effect: effect, error: error,
                lacksCredential: lacksCredential, identity: identity)
        }
        switch QueueFailure(error) {
        case .held(let after):
            let isPushback = error.code == NetworkError.overloaded || error.code == NetworkError.rateLimited
            return ended(.released, isPushback ? .pushedBack(after: after) : .unreachable(after: after))
        case .retry(let after): return ended(postponed(lease, after), .unreachable(after: after))
        case .released: return ended(.released, .unknown)
        case .park: return ended(.parked, .unknown)
        case .credentialMissing: return ended(.released, .unknown, lacksCredential: true)
        case .done: return ended(.done, .reached)
        case .poison: return ended(.poison, .unknown)
        }
    }

    private func postponed(_ lease: QueueLease, _ after: Duration?) -> QueueCompletion.Result {
        let delay = configuration.backoff.delay(
            after: lease.attempt, atLeast: after, random: configuration.random)
        return .postponed(until: QueueTime(configuration.clock).adding(delay))
    }
}

/// The queue sends again itself, after its own backoff.
private struct SingleAttempt: RetryPolicy, Hashable {
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
}
