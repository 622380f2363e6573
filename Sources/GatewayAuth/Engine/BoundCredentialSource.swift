import GatewayCore

/// The credential of one call with tokens that are bound to a key: each attempt carries its own proof (RFC 9449 §7). A
/// bearer token is sent without proof.
///
/// It remembers the nonce of the last proof of the call, so that a server that requires the same nonce again does not
/// cause an endless loop.
final class BoundCredentialSource: CredentialSource {
    let base: SlotCredentialSource
    let binding: DPoPBinding
    private let latest = Locked<String?>(nil)

    init(base: SlotCredentialSource, binding: DPoPBinding) {
        self.base = base
        self.binding = binding
    }

    var identity: CredentialIdentity { base.identity }
    func identified() async -> CredentialIdentity { await base.identified() }

    func isReady(atLeast generation: UInt64) -> Bool { base.isReady(atLeast: generation) }

    func hasExpired(atLeast generation: UInt64) -> Bool { base.hasExpired(atLeast: generation) }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        try await base.ready(atLeast: generation, deadline: deadline)
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        try await base.ready(atLeast: generation, for: call)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try stamp(&request, atLeast: generation, ifReady: false)
    }

    func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try stamp(&request, atLeast: generation, ifReady: true)
    }

    private func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64, ifReady: Bool
    ) throws(NetworkError) -> CredentialStamp? {
        guard
            let (stamp, nonce) = try base.stamp(
                &request, atLeast: generation, proving: binding, ifReady: ifReady)
        else { return nil }
        latest.withLock { $0 = nonce }
        return stamp
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) {
        binding.remember(response.fields, from: request.origin, .api)
        base.note(response, scheme: "DPoP")
    }

    func isRepeatable(after response: HTTPResponse) -> Bool {
        let isDemanded = response.tokenChallenges.contains {
            $0.isScheme("DPoP") && $0["error"] == "use_dpop_nonce"
        }
        guard isDemanded, let nonce = DPoPBinding.nonce(in: response.fields) else { return false }
        // An engine below that is not ours may not have recorded the nonce.
        binding.remember(response.fields, from: response.exchange.origin, .api)
        return latest.withLock { $0 != nonce }
    }

    func reject(_ generation: UInt64, renewing: Bool) { base.reject(generation, renewing: renewing) }
}

extension BoundCredentialSource: EventReporting {
    func report(to outlet: EventOutlet) { base.report(to: outlet) }
}
