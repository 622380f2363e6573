import GatewayCore

/// What is done about the refused response of one call: which steps are left, and what they change.
final class Recovery {
    /// What a refusal leads to.
    enum Step {
        /// The call is sent again with the same credential, stamped anew.
        case replay
        /// The token is refreshed before.
        case refresh
        /// A token with further scopes is requested before.
        case stepUp
    }

    /// The last response. While the call is sent again, it has neither fields nor content.
    private(set) var response: HTTPResponse
    /// The context of the call, as it is sent again.
    private(set) var context: RequestContext
    private(set) var source: any CredentialSource
    /// The number of attempts until the last response.
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

    /// The next step; `nil` if the response is the caller's.
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
            // A stream that is not read must not hold its connection while the token is renewed.
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
        context.record(.credentialRejected(generation: rejected), for: request)
    }

    /// Whether a newer token is there already: it costs nothing, even while refreshing is suspended. Where the token is
    /// known no request is stamped for it, and no proof is signed.
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

    /// Reports the token as rejected.
    ///
    /// - Returns: whether the call can be sent again.
    @inline(never)
    func reject(_ request: HTTPRequest) -> Bool {
        let isReplayable = request.body.isReplayable
        source.reject(rejected, renewing: !isReplayable)
        return isReplayable
    }

    /// Continues with a credential of further scopes.
    func continues(with wider: any CredentialSource) {
        source = wider
        reason = .stepUp
        context.credentials = wider
        // Generations are counted by each token for itself.
        context.minimumGeneration = 0
    }

    /// The call is sent again now.
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

    /// The response of the call that was sent again.
    @inline(never)
    func received(_ response: consuming HTTPResponse) {
        response.exchange.attempts = sent.addingClamped(response.exchange.attempts)
        self.response = response
    }

    /// The error of the call that was sent again.
    @inline(never)
    func failed(_ error: NetworkError) -> NetworkError {
        error.with(attempts: sent.addingClamped(error.attempts))
    }

    /// What the response after a refresh says of the credential.
    enum Verdict {
        /// The credential was accepted.
        case accepted
        /// The operation or path rejects what others of its origin accept.
        case rejectedByPath
        /// The origin rejects it.
        case rejectedByOrigin
    }

    /// What the call is counted under where its origin accepts the credential elsewhere.
    func key(of request: HTTPRequest) -> RejectingPaths.Key { RejectingPaths.Key(request, context) }

    /// Judges the response after a refresh. Reports the token as rejected if its origin has accepted it before.
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
