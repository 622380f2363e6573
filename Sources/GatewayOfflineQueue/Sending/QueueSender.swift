import GatewayCore

/// Makes one attempt of an entry.
struct QueueSender: Sendable {
    /// The result of an attempt. On the heap, because it is stored in several arrays before it is reported.
    final class Result: Sendable {
        let completion: QueueCompletion
        let effect: SendGate.Effect
        /// The response, if it was received completely.
        let response: HTTPResponse?
        /// The error, if there is no complete response. It has the status if the head was received.
        let error: NetworkError?
        /// Whether the credential of its account is currently not available.
        let lacksCredential: Bool
        /// The login that the attempt was made with, if known.
        let identity: CredentialIdentity?
        /// Whether an attempt was to be made.
        let isAttempt: Bool

        init(
            _ lease: QueueLease, _ result: QueueCompletion.Result, mayHaveBeenSent: Bool = true,
            reason: String?, effect: SendGate.Effect, response: HTTPResponse? = nil,
            error: NetworkError? = nil, lacksCredential: Bool = false, identity: CredentialIdentity? = nil,
            isAttempt: Bool = true, wasBegun: Bool = true
        ) {
            completion =
                wasBegun
                ? QueueCompletion(lease, result, mayHaveBeenSent: mayHaveBeenSent, reason: reason)
                : QueueCompletion(notBegun: lease, result, reason: reason)
            self.effect = effect
            self.response = response
            self.error = error
            self.lacksCredential = lacksCredential
            self.identity = identity
            self.isAttempt = isAttempt
        }

        /// Whether the entry failed, not its origin.
        var isFailure: Bool {
            guard case .postponed = completion.result else { return false }
            return effect == .failed || effect == .reached || effect == .busy
        }
    }

    let engine: any RequestEngine
    let configuration: OfflineQueueEngine.Configuration

    /// The result of an attempt that is not made.
    static func released(_ lease: QueueLease, _ reason: String?) -> Result {
        Result(lease, .released, reason: reason, effect: .unknown, wasBegun: false)
    }

    /// The result of an attempt that is postponed because other entries take precedence. The delay is short
    /// if few entries fail, and doubles with their number beyond 64, so that many failing entries do not
    /// keep the store busy.
    ///
    /// - Parameters:
    ///   - reason: why the last attempt failed.
    ///   - failing: the number of failing entries.
    func givenWay(_ lease: QueueLease, _ reason: String?, among failing: Int) -> Result {
        let doublings = Int.bitWidth - (failing / 64).leadingZeroBitCount
        let pause = configuration.backoff.delay(
            after: 2 + doublings, atLeast: nil, random: configuration.random)
        return Result(
            lease, .postponed(until: QueueTime(configuration.clock).adding(pause)), reason: reason,
            effect: .unknown, isAttempt: false, wasBegun: false)
    }

    /// Makes the attempt. It ends early if the task is cancelled.
    func send(_ lease: QueueLease) async -> Result {
        var credentials: (any CredentialSource)?
        if configuration.hasCredentials, !lease.item.isAnonymous, let account = lease.item.account {
            credentials = await pinnedCredential(of: account)
            guard credentials != nil else {
                return Result(
                    lease, .released, reason: "not signed in", effect: .unknown, lacksCredential: true,
                    wasBegun: false)
            }
        }
        // Obtaining the credential may have taken long.
        guard QueueTime(configuration.clock) < lease.expires else { return Self.released(lease, "expired") }
        let identity = credentials?.identity
        var deadline: Deadline?
        var request = lease.item.request
        var hops = 0
        while true {
            let response: HTTPResponse
            let context = context(of: lease, credentials, by: deadline)
            deadline = context.deadline
            do throws(NetworkError) {
                response = try await exchange(request, context, lease)
            } catch {
                // The server that redirected the request has received it.
                return judged(
                    hops > 0 ? error.with(attempts: error.attempts, mayHaveBeenSent: true) : error, lease,
                    identity)
            }
            guard hops < Self.mostHops, let target = Self.target(of: response, from: request) else {
                return await judged(response, lease, identity ?? response.exchange.stamp?.identity)
            }
            hops += 1
            _ = await Self.content(of: response, upToBytes: Self.mostIgnoredBytes)
            request.target = target
        }
    }

    /// Sends a request, unless its entry expires before it is authenticated.
    @inline(__always)
    private func exchange(
        _ request: HTTPRequest, _ context: RequestContext, _ lease: QueueLease
    ) async throws(NetworkError) -> HTTPResponse {
        // Most entries do not expire within an attempt.
        guard lease.expires.since(QueueTime(configuration.clock)) <= configuration.attemptDeadline else {
            return try await engine.send(request, context: context)
        }
        return try await ExpiryWatch(lease.expires, clock: configuration.clock).send(
            request, context, by: engine)
    }

    /// The context of a request. The engine does not follow redirects, because the queue decides about them.
    /// The head of a response is returned even if its content fails, so that its status is known.
    ///
    /// - Parameter deadline: the deadline of the attempt; `nil` for its first request.
    private func context(
        of lease: QueueLease, _ credentials: (any CredentialSource)?, by deadline: Deadline?
    ) -> RequestContext {
        var options = CallOptions()
        if deadline == nil { options.deadline = configuration.attemptDeadline }
        options.retry = SingleAttempt()
        options.priority = lease.item.priority
        options.isHedged = false
        options.isBackground = true
        var context = RequestContext(
            options: options, operation: lease.item.operation, credentials: credentials, response: .stream,
            clock: engine.services.clock)
        context.isAnonymous = lease.item.isAnonymous
        context.followsRedirects = false
        context.readsAtOnce = true
        guard let deadline else { return context }
        return context.limited(to: deadline)
    }

    /// The credential of an account for one call. The login may change at any time, so it is read again
    /// after pinning.
    private func pinnedCredential(of account: QueueAccount) async -> (any CredentialSource)? {
        guard let pinned = await configuration.currentCredential(of: account)?.pinned(),
            await configuration.currentCredential(of: account)?.identity == pinned.identity
        else { return nil }
        return pinned
    }
}

/// No retries by the engine: the queue retries after its own backoff.
private struct SingleAttempt: RetryPolicy, Hashable {
    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision { .stop }
}
