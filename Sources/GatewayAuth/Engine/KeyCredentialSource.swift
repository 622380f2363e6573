public import GatewayCore

/// A key's token, whoever is signed in: what outlives single calls.
struct KeyCredentialSource: CredentialSource {
    let slot: TokenSlot
    let origins: Set<Origin>

    private var current: SlotCredentialSource {
        SlotCredentialSource(slot: slot, epoch: slot.epoch, origins: origins)
    }

    var identity: CredentialIdentity { current.identity }
    func pinned() -> any CredentialSource { current }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        try await current.ready(atLeast: generation, deadline: deadline)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try current.stamp(&request, atLeast: generation)
    }

    func reject(_ generation: UInt64, renewing: Bool) { current.reject(generation, renewing: renewing) }
}

extension TokenRefreshCoordinator {
    /// The credential of a key for a request's context.
    ///
    /// - Parameters:
    ///   - key: which token.
    ///   - origins: who may see it. Stamping a request to anybody else fails with the code `credentialMissing`.
    public func credentials(for key: TokenKey = .default, origins: Set<Origin>) -> any CredentialSource {
        KeyCredentialSource(slot: slot(for: key, pinned: true), origins: origins)
    }
}
