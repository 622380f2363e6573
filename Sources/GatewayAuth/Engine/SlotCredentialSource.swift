import GatewayCore
import Synchronization

/// The credential of calls for one login: the token of a key, as long as the login that was current at the start of the
/// call. After a sign-out or another sign-in it provides no token, so a call never continues with the login of another
/// user.
///
/// All calls of a login share one object, so passing it on costs one reference.
final class SlotCredentialSource: CredentialSource {
    let slot: TokenSlot
    let epoch: UInt64
    let reach: CredentialReach
    /// The newest generation that the origin accepted.
    private let accepted = Atomic<UInt64>(0)
    /// Whether the last repeated call was rejected with a new token. Then only repeated calls decide whether a token is
    /// rejected.
    private let isDoubtful = Atomic(false)
    /// The calls that are sent again after a rejection: first attempts get the next token after them.
    let replays: ReplayPrecedence
    private let rejectingPaths = Locked(RejectingPaths())
    private let hasRejectingPaths = Atomic(false)

    init(slot: TokenSlot, epoch: UInt64, reach: CredentialReach) {
        self.slot = slot
        self.epoch = epoch
        self.reach = reach
        replays = ReplayPrecedence(clock: slot.environment.clock)
    }

    /// Whether an attempt need not wait for replays: only first attempts accept any generation.
    private func mayPass(_ generation: UInt64) -> Bool { generation > 0 || replays.isIdle }

    var identity: CredentialIdentity { slot.identity(epoch: epoch) }

    func identified() async -> CredentialIdentity {
        await slot.readAccount()
        return identity
    }

    func isReady(atLeast generation: UInt64) -> Bool {
        mayPass(generation) && slot.isReady(atLeast: generation, epoch: epoch)
    }

    func hasExpired(atLeast generation: UInt64) -> Bool {
        slot.hasExpired(atLeast: generation, epoch: epoch)
    }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        // A slot that is used by a source is pinned and is never retired.
        _ = try await slot.token(atLeast: generation, epoch: epoch, deadline: deadline)
        if !mayPass(generation) { try await waitForReplays(until: deadline) }
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        guard slot.isObserved else { return try await ready(atLeast: generation, deadline: call.deadline) }
        try await readyObserved(atLeast: generation, for: call)
    }

    @inline(never)
    private func waitForReplays(until deadline: Deadline?) async throws(NetworkError) {
        switch await replays.wait(until: deadline) {
        case .value: return
        case .cancelled: throw TokenSlot.cancelled
        case .expired: throw TokenSlot.deadlinePassed
        }
    }

    @inline(never)
    private func readyObserved(
        atLeast generation: UInt64, for call: RequestContext
    ) async throws(NetworkError) {
        slot.waitingCalls.withLock { $0.enter(call.callID) }
        defer { slot.waitingCalls.withLock { $0.leave(call.callID) } }
        try await ready(atLeast: generation, deadline: call.deadline)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try admit(request.origin)
        guard mayPass(generation) else { return nil }
        return try stamp(&request, with: slot.peek(atLeast: generation, epoch: epoch))
    }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try admit(request.origin)
        guard mayPass(generation) else { return nil }
        return try stamp(&request, with: slot.tokenIfReady(atLeast: generation, epoch: epoch))
    }

    private func stamp(
        _ request: inout HTTPRequest, with found: (token: IssuedToken, account: String?)?
    ) throws(NetworkError) -> CredentialStamp? {
        guard let (token, account) = found else { return nil }
        guard token.type == .bearer else { throw Self.unbound(request.origin) }
        request.setField(token.field)
        return stamp(token, account)
    }

    /// Stamps the request with the token, and with a proof if the token is bound to a key.
    ///
    /// - Parameter ifReady: whether only a token that ``isReady(atLeast:)`` is used.
    /// - Returns: the stamp and the nonce of the proof.
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64, proving binding: DPoPBinding, ifReady: Bool
    ) throws(NetworkError) -> (stamp: CredentialStamp, nonce: String?)? {
        try admit(request.origin)
        guard mayPass(generation) else { return nil }
        let found =
            ifReady
            ? try slot.tokenIfReady(atLeast: generation, epoch: epoch)
            : try slot.peek(atLeast: generation, epoch: epoch)
        guard let (token, account) = found else { return nil }
        var nonce: String?
        if token.type == .dpop {
            nonce = binding.nonce(for: request.origin, .api)
            let proof = try binding.proof(
                method: request.method, origin: request.origin, target: request.target,
                accessToken: token.accessToken, nonce: nonce)
            request.setField(.dpop, proof.exposed)
        }
        request.setField(token.field)
        return (stamp(token, account), nonce)
    }

    private func stamp(_ token: IssuedToken, _ account: String?) -> CredentialStamp {
        CredentialStamp(
            identity: CredentialIdentity(key: slot.key.canonical, epoch: epoch, account: account),
            generation: token.generation)
    }

    private static func unbound(_ origin: Origin) -> NetworkError {
        NetworkError(
            .credentialMisconfigured,
            "The token is bound to a DPoP key that the acquirer does not have. It is not sent as a bearer token.",
            origin: origin)
    }

    func reject(_ generation: UInt64, renewing: Bool) {
        slot.reject(generation, epoch: epoch)
        if renewing { slot.prefetch(atLeast: generation + 1, epoch: epoch) }
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) { note(response, scheme: "Bearer") }

    /// Records a token that the origin has accepted. If a token that was accepted before is rejected now, it was
    /// revoked: other calls must not use it, even before this call handles the rejection. A redirect is ignored,
    /// because it may be sent without checking the token.
    func note(_ response: HTTPResponse, scheme: String) {
        guard let generation = response.generation else { return }
        if response.status == 401 {
            noteRefusal(response.fields, of: generation, scheme: scheme)
        } else if response.isSuccess || response.status == 304,
            generation > accepted.load(ordering: .relaxed)
        {
            accepted.store(generation, ordering: .relaxed)
        }
    }

    private func noteRefusal(_ fields: HTTPFields, of generation: UInt64, scheme: String) {
        guard wasAccepted(generation), !isDoubtful.load(ordering: .relaxed),
            !hasRejectingPaths.load(ordering: .relaxed),
            let found = try? slot.peek(atLeast: generation, epoch: epoch),
            found.token.generation == generation, fields.rejectToken(scheme: scheme)
        else { return }
        slot.reject(generation, epoch: epoch)
    }

    private func admit(_ origin: Origin) throws(NetworkError) {
        guard reach.includes(origin) else {
            throw NetworkError(
                .credentialMissing, "The credential is not configured for this origin.", origin: origin)
        }
        if !origin.isSecureOrLoopback { try origin.refuseInsecure(allowing: reach.plainHTTP) }
    }
}

// The results of calls that were repeated with a new token.
extension SlotCredentialSource {
    /// Records that a repeated call was rejected. If the origin has accepted the token before, the token was revoked
    /// and is reported as rejected. A token that was never accepted is not reported, because each call would cost two
    /// tokens if the origin accepts none. A token is also not reported for an operation or path that rejected other
    /// tokens before.
    ///
    /// - Returns: whether the rejection is counted for the operation or path; otherwise it is counted for the origin.
    func noteRejectedReplay(
        of key: RejectingPaths.Key, with generation: UInt64, now: ContinuousClock.Instant
    ) -> Bool {
        isDoubtful.store(true, ordering: .relaxed)
        let (isCounted, wasKnown) = rejectingPaths.withLock { paths in
            let result = paths.recordRejection(
                of: key, RejectionCircuit.Token(epoch: epoch, generation: generation),
                // The refreshed token itself may not have been sent by other calls yet.
                mayBegin: reach.hasOneOrigin && generation > 1 && wasAccepted(generation - 1), now: now)
            hasRejectingPaths.store(!paths.isEmpty, ordering: .relaxed)
            return result
        }
        if !wasKnown, wasAccepted(generation) { slot.reject(generation, epoch: epoch) }
        return isCounted
    }

    /// Records that a repeated call was accepted.
    func noteAcceptedReplay(of key: RejectingPaths.Key) {
        isDoubtful.store(false, ordering: .relaxed)
        guard hasRejectingPaths.load(ordering: .relaxed) else { return }
        rejectingPaths.withLock { paths in
            paths.end(key)
            hasRejectingPaths.store(!paths.isEmpty, ordering: .relaxed)
        }
    }

    /// The remaining suspension for an operation or path; `nil` if there is none.
    func pause(for key: @autoclosure () -> RejectingPaths.Key, at now: ContinuousClock.Instant) -> Duration? {
        guard hasRejectingPaths.load(ordering: .relaxed) else { return nil }
        let key = key()
        return rejectingPaths.withLock { $0.pause(for: key, at: now) }
    }

    /// Whether the origin has accepted a token that was counted as rejected by the origin. Then only some operations or
    /// paths reject it, and they can be counted separately.
    func refutes(_ last: RejectionCircuit.Token, at now: ContinuousClock.Instant) -> Bool {
        last.epoch == epoch && wasAccepted(last.generation) && reach.hasOneOrigin
            && rejectingPaths.withLock { $0.hasRoom(at: now) }
    }

    /// Whether the origin has accepted this token or a newer one.
    private func wasAccepted(_ generation: UInt64) -> Bool {
        generation <= accepted.load(ordering: .relaxed)
    }
}

extension SlotCredentialSource: EventReporting {
    func report(to outlet: EventOutlet) { slot.report(to: outlet) }
}
