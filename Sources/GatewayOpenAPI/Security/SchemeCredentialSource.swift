internal import GatewayCore

/// The credentials of one alternative, for one origin: fixed ones, and those that another source renews.
struct SchemeCredentialSource: CredentialSource {
    let origin: Origin
    let fixed: [FixedCredential]
    let renewed: (any CredentialSource)?
    /// Tells the fixed ones of this client from those of every other.
    let fixedKey: String

    var identity: CredentialIdentity {
        guard let renewed else { return CredentialIdentity(key: fixedKey, epoch: 0) }
        return CredentialIdentity(key: fixedKey + "|" + renewed.identity.key, epoch: renewed.identity.epoch)
    }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        if let renewed { return try await renewed.ready(atLeast: generation, deadline: deadline) }
        guard generation <= 1 else {
            throw NetworkError(
                .reauthenticationRequired,
                "The credential was not accepted, and it is one that cannot be renewed.", origin: origin,
                status: 401)
        }
    }

    /// Stamps with all credentials or none. The stamp is the renewed one's where there is one, since it is that
    /// one that a 401 speaks of.
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        guard request.origin == origin else {
            throw NetworkError(
                .insecureOrigin, "The credential belongs to \(origin) and is not sent elsewhere.",
                origin: request.origin)
        }
        guard origin.isSecureOrLoopback else { throw Self.insecure(origin) }
        var stamped = request
        for credential in fixed { try credential.apply(to: &stamped) }
        var stamp = CredentialStamp(identity: identity, generation: 1)
        if let renewed {
            guard let renewedStamp = try renewed.stamp(&stamped, atLeast: generation) else { return nil }
            stamp = renewedStamp
        } else if generation > 1 {
            return nil
        }
        request = stamped
        return stamp
    }

    static func insecure(_ origin: Origin) -> NetworkError {
        NetworkError(
            .insecureOrigin,
            "Credentials are not sent over http:// but to a loopback address: use https://.", origin: origin)
    }
}
