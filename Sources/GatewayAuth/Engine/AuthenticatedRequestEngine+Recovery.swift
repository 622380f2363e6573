import GatewayCore

/// What follows a refusal of a call's credential.
extension AuthenticatedRequestEngine {
    /// Handles a refusal: at most one refresh and one step-up, each followed by a replay.
    ///
    /// Why: thousands of calls can wait here, so their state is stored once on the heap and the async frames stay
    /// small.
    @inline(never)
    nonisolated func recover(
        from refusal: consuming HTTPResponse, request: HTTPRequest, context: RequestContext,
        source: any CredentialSource
    ) async throws(NetworkError) -> HTTPResponse {
        let recovery = Recovery(refusal, context, source)
        defer { recovery.context.replay?.pass() }
        while let step = recovery.next(for: request) {
            switch step {
            case .replay: break
            case .refresh: guard try await refresh(recovery, request) else { return recovery.response }
            case .stepUp: guard try await recovery.stepUp(for: request) else { return recovery.response }
            }
            recovery.beginReplay()
            try await replay(recovery, request)
            if recovery.isRefreshed { await settle(recovery, request) }
        }
        return recovery.response
    }

    /// Sends the call again.
    @inline(never)
    private nonisolated func replay(
        _ recovery: Recovery, _ request: HTTPRequest
    ) async throws(NetworkError) {
        try recovery.record(replayOf: request)
        do {
            recovery.received(try await below.send(request, context: recovery.context))
        } catch {
            throw recovery.failed(error)
        }
    }

    /// Records whether the refreshed token was accepted or rejected.
    @inline(never)
    private nonisolated func settle(_ recovery: Recovery, _ request: HTTPRequest) async {
        let origin = request.origin
        let circuit = RejectionCircuits.Key(credential: recovery.source.identity.key, origin: origin)
        switch recovery.judge(request, now: clock.now) {
        case .accepted:
            if hasCircuits { await end(circuit, recovery.context) }
        case .rejectedByPath: break
        case .rejectedByOrigin:
            let stamp = recovery.response.exchange.stamp
            let token = RejectionCircuit.Token(
                epoch: recovery.source.identity.epoch,
                generation: stamp?.generation ?? recovery.context.minimumGeneration)
            await recordRejection(circuit, of: token, recovery.context)
        }
    }

    /// Reports a token generation as rejected and waits for the next one.
    ///
    /// - Returns: whether the call should be sent again.
    @inline(never)
    private nonisolated func refresh(
        _ recovery: Recovery, _ request: HTTPRequest
    ) async throws(NetworkError) -> Bool {
        recovery.recordRejection(of: request)
        let slot = recovery.source.rejectable?.slot
        let pauseOfPath = slot?.pause(for: recovery.key(of: request), at: clock.now)
        if pauseOfPath != nil || hasCircuits,
            !recovery.hasTokenAtHand(for: request)
        {
            try await refuseSuspended(recovery, request, pauseOfPath)
        }
        recovery.beginWait(for: request)
        guard recovery.reject(request) else { return false }
        do {
            try await recovery.context.waitUntilReady(
                recovery.source, atLeast: recovery.context.minimumGeneration, for: request)
        } catch {
            throw error.with(attempts: recovery.sent)
        }
        return true
    }

    /// Fails a call while refreshing is suspended.
    @inline(never)
    private nonisolated func refuseSuspended(
        _ recovery: Recovery, _ request: HTTPRequest, _ pauseOfPath: Duration?
    ) async throws(NetworkError) {
        let circuit = RejectionCircuits.Key(
            credential: recovery.source.identity.key, origin: request.origin)
        var pause = pauseOfPath
        if pause == nil { pause = await self.pause(for: circuit, recovery.source, recovery.context) }
        guard let pause else { return }
        throw NetworkError(
            .refreshSuspended,
            "Refreshing is suspended\(pauseOfPath == nil ? "" : " for this operation or path"): "
                + "\(RejectionCircuit.threshold) or more refreshed tokens in a row were rejected. "
                + "Check the issuer, audience and scopes that the service expects.",
            origin: request.origin, retryAfter: pause, status: recovery.response.status,
            attempts: recovery.sent)
    }
}
