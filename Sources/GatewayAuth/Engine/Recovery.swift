import GatewayCore

/// The state of handling the refusals of one call: the remaining steps and their effects.
final class Recovery {
    /// The reaction to a refusal.
    enum Step {
        /// Send the call again with the same credential and a new stamp.
        case replay
        /// Refresh the token first.
        case refresh
        /// Request a token with more scopes first.
        case stepUp
    }

    /// The last response. While the call is sent again, it has no fields and no content.
    private(set) var response: HTTPResponse
    /// The context for sending the call again.
    private(set) var context: RequestContext
    private(set) var source: any CredentialSource
    /// The number of attempts up to the last response.
    private(set) var sent = 0
    /// Whether the last step was a refresh.
    private(set) var isRefreshed = false
    private var rejected: UInt64 = 0
    private var reason = AttemptInfo.Reason.replay
    private var mayReplay = true
    private var mayRefresh = true
    private var mayStepUp = true

    init(_ response: consuming HTTPResponse, _ context: RequestContext, _ source: any CredentialSource) {
        self.response = response
        self.context = context
        self.source = source
    }

    /// The next step; `nil` if the response must be returned to the caller.
    @inline(never)
    func next(for request: HTTPRequest) -> Step? {
        guard let stamp = response.exchange.stamp, stamp.identity == source.identity else { return nil }
        sent = response.exchange.attempts
        isRefreshed = false
        if mayReplay, response.status == 401, request.body.isReplayable,
            source.isRepeatable(after: response)
        {
            mayReplay = false
            reason = .nonce
            return .replay
        }
        if mayRefresh, source.isRejected(by: response) {
            mayRefresh = false
            isRefreshed = true
            reason = .replay
            rejected = stamp.generation
            context.minimumGeneration = max(stamp.generation + 1, context.minimumGeneration)
            // An unread stream must not occupy its connection during the refresh.
            if request.body.isReplayable { response.body.discard() }
            return .refresh
        }
        guard response.status == 403, mayStepUp else { return nil }
        mayStepUp = false
        return .stepUp
    }

    /// Records that the token was rejected.
    @inline(never)
    func recordRejection(of request: HTTPRequest) {
        context.record(.credentialRejected(generation: rejected), for: request, answer: response.fields)
    }

    /// Whether a newer token is already available. It can be used even while refreshing is suspended. If the slot is
    /// known, no request is stamped and no proof is signed for the check.
    @inline(never)
    func hasTokenAtHand(for request: HTTPRequest) -> Bool {
        if let known = source.rejectable?.slot {
            let found = try? known.slot.peek(atLeast: context.minimumGeneration, epoch: known.epoch)
            return found != nil
        }
        var probe = request
        let stamp = try? source.stamp(&probe, atLeast: context.minimumGeneration)
        return stamp.flatMap(\.self) != nil
    }

    /// Lets first attempts wait until the call has its place before them.
    func beginWait(for request: HTTPRequest) {
        guard request.body.isReplayable, let slot = source.rejectable?.slot else { return }
        let place = ReplayPrecedence.Place(slot.replays)
        place.wait()
        context.replay = place
    }

    /// Reports the token as rejected.
    ///
    /// - Returns: whether the call can be sent again.
    @inline(never)
    func reject(_ request: HTTPRequest) -> Bool {
        let isReplayable = request.body.isReplayable
        source.reject(rejected, renewing: !isReplayable)
        return isReplayable
    }

    /// Continues with a credential that has more scopes.
    func continues(with wider: any CredentialSource) {
        source = wider
        reason = .stepUp
        context.credentials = wider
        // Each token has its own generation count.
        context.minimumGeneration = 0
    }

    /// Prepares to send the call again.
    @inline(never)
    func beginReplay() {
        response.body.discard()
        let number = response.exchange.attemptNumber ?? context.attempt.number
        context.attempt = AttemptInfo(number: number.addingClamped(1), reason: reason)
        response = HTTPResponse(status: response.status, exchange: response.exchange)
    }

    /// Records that the call is sent again.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `cancelled` if the task was cancelled.
    @inline(never)
    func record(replayOf request: HTTPRequest) throws(NetworkError) {
        guard !Task.isCancelled else {
            throw NetworkError(
                .cancelled, "The task was cancelled before the call was sent again.", origin: request.origin,
                attempts: sent)
        }
        context.record(.replayed(generation: context.minimumGeneration), for: request)
    }

    /// Stores the response of the repeated call.
    @inline(never)
    func received(_ response: consuming HTTPResponse) {
        response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
        self.response = response
    }

    /// The error of the repeated call, with the number of all attempts.
    @inline(never)
    func failed(_ error: NetworkError) -> NetworkError {
        error.with(attempts: sent.addingClamped(error.attempts))
    }

    /// Whether the credential was accepted after a refresh.
    enum Verdict {
        /// The credential was accepted.
        case accepted
        /// Rejected for this operation or path; the origin accepts the credential for others.
        case rejectedByPath
        /// Rejected by the origin.
        case rejectedByOrigin
    }

    /// The operation or path that a rejection is counted for.
    func key(of request: HTTPRequest) -> RejectingPaths.Key { RejectingPaths.Key(request, context) }

    /// Evaluates the response after a refresh. Reports the token as rejected if its origin has accepted it before.
    func judge(_ request: HTTPRequest, now: ContinuousClock.Instant) -> Verdict {
        let slot = source.rejectable?.slot
        if source.isRejected(by: response), let generation = response.generation {
            let isCounted = slot?.noteRejectedReplay(of: key(of: request), with: generation, now: now)
            return isCounted == true ? .rejectedByPath : .rejectedByOrigin
        }
        guard response.status != 401 else { return .rejectedByOrigin }
        slot?.noteAcceptedReplay(of: key(of: request))
        return .accepted
    }
}
