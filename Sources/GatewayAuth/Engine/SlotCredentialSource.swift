import GatewayCore
import Synchronization

/// The credential of calls under one login: a key's token while the login lasts that was current when the call began.
/// After a logout, or when somebody else has signed in, it gives nothing more: a call never continues with another's login.
///
/// All calls of a login share one object: it costs one reference to hand it on.
final class SlotCredentialSource: CredentialSource {
    let slot: TokenSlot
    let epoch: UInt64
    let reach: CredentialReach
    /// The newest generation that was accepted.
    private let accepted = Atomic<UInt64>(0)
    /// Whether the latest call that was sent again with a new token got a 401 again: what such responses mean, only calls
    /// decide then.
    private let isDoubtful = Atomic(false)

    init(slot: TokenSlot, epoch: UInt64, reach: CredentialReach) {
        self.slot = slot
        self.epoch = epoch
        self.reach = reach
    }

    var identity: CredentialIdentity { slot.identity(epoch: epoch) }

    func isReady(atLeast generation: UInt64) -> Bool { slot.isReady(atLeast: generation, epoch: epoch) }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        // A slot that a source uses is pinned, and never retired.
        _ = try await slot.token(atLeast: generation, epoch: epoch, deadline: deadline)
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        guard slot.isObserved else {
            _ = try await slot.token(atLeast: generation, epoch: epoch, deadline: call.deadline)
            return
        }
        try await readyObserved(atLeast: generation, for: call)
    }

    @inline(never)
    private func readyObserved(
        atLeast generation: UInt64, for call: RequestContext
    ) async throws(NetworkError) {
        slot.waitingCalls.withLock { $0.enter(call.callID) }
        defer { slot.waitingCalls.withLock { $0.leave(call.callID) } }
        try await ready(atLeast: generation, deadline: call.deadline)
    }

    func isCurrent(
        _ stamp: CredentialStamp, on request: HTTPRequest, atLeast generation: UInt64, age: Duration
    ) -> Bool {
        guard let found = try? slot.peek(atLeast: generation, epoch: epoch) else { return false }
        return found.token.generation == stamp.generation
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try admit(request.origin)
        return try stamp(&request, with: slot.peek(atLeast: generation, epoch: epoch))
    }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try admit(request.origin)
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

    /// Puts the credential on the request, with a proof where the token is bound to a key.
    ///
    /// - Returns: the nonce that the proof holds, beside the stamp.
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64, proving binding: DPoPBinding
    ) throws(NetworkError) -> (stamp: CredentialStamp, nonce: String?)? {
        try admit(request.origin)
        guard let (token, account) = try slot.peek(atLeast: generation, epoch: epoch) else { return nil }
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

    /// Notes the token that the origin accepts.
    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        guard response.status < 400, let generation = response.generation,
            generation > accepted.load(ordering: .relaxed)
        else { return }
        accepted.store(generation, ordering: .relaxed)
    }

    /// Notes the response to a call that was sent again with a new token. Reports a token that it rejects, if the origin has
    /// accepted it before: it was revoked. A new token that was never accepted is not reported, since each call would cost
    /// two tokens where none is accepted.
    ///
    /// - Parameter generation: the token that the response rejects; `nil` if it rejects none.
    func noteReplay(rejecting generation: UInt64?) {
        isDoubtful.store(generation != nil, ordering: .relaxed)
        if let generation, wasAccepted(generation) { slot.reject(generation, epoch: epoch) }
    }

    func noteRefusal(_ fields: HTTPFields, of stamp: CredentialStamp) {
        noteRefusal(fields, of: stamp, scheme: "Bearer")
    }

    /// Reports a token that was accepted before and is rejected now: it was revoked.
    func noteRefusal(_ fields: HTTPFields, of stamp: CredentialStamp, scheme: String) {
        guard wasAccepted(stamp.generation), !isDoubtful.load(ordering: .relaxed),
            let found = try? slot.peek(atLeast: stamp.generation, epoch: epoch),
            found.token.generation == stamp.generation, fields.rejectToken(scheme: scheme)
        else { return }
        slot.reject(stamp.generation, epoch: epoch)
    }

    private func wasAccepted(_ generation: UInt64) -> Bool {
        generation <= accepted.load(ordering: .relaxed)
    }

    private func admit(_ origin: Origin) throws(NetworkError) {
        guard reach.includes(origin) else {
            throw NetworkError(
                .credentialMissing, "The credential is not configured for this origin.", origin: origin)
        }
        if !origin.isSecureOrLoopback { try origin.refuseInsecure(allowing: reach.plainHTTP) }
    }
}
