import GatewayCore

/// The credential of one call: a key's token under the login that was current when the call began. After a logout, or
/// when somebody else has signed in, it gives nothing more; a call never goes on under another's name.
struct SlotCredentialSource: CredentialSource {
    let slot: TokenSlot
    let epoch: UInt64
    let origins: CredentialOrigins

    var identity: CredentialIdentity { CredentialIdentity(key: slot.key.canonical, epoch: epoch) }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        // A slot that an engine uses is pinned, and never retired.
        _ = try await slot.token(atLeast: generation, epoch: epoch, deadline: deadline)
    }

    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        try origins.admit(request.origin, key: slot.key)
        guard let token = try slot.peek(atLeast: generation, epoch: epoch) else { return nil }
        request.fields[.authorization] = token.authorization.exposed
        return CredentialStamp(identity: identity, generation: token.generation)
    }
}

/// The origins of an engine with their slots.
final class CredentialOrigins: Sendable {
    let slots: [Origin: TokenSlot]

    init(_ scope: CredentialScope, coordinator: TokenRefreshCoordinator) {
        slots = scope.keys.mapValues { coordinator.slot(for: $0, pinned: true) }
    }

    /// Refuses an origin that must not see the credential of a key.
    func admit(_ origin: Origin, key: TokenKey) throws(NetworkError) {
        guard let slot = slots[origin], slot.key == key else {
            throw NetworkError(
                .credentialMissing, "The credential is not meant for this origin.", origin: origin)
        }
        try Self.refuseInsecure(origin)
    }

    /// A bearer token over plain HTTP is everybody's (RFC 6750 §5.3).
    static func refuseInsecure(_ origin: Origin) throws(NetworkError) {
        guard origin.isSecureOrLoopback else {
            throw NetworkError(
                .insecureOrigin, "A bearer token must not go over plain HTTP to another machine: use https.",
                origin: origin)
        }
    }
}
