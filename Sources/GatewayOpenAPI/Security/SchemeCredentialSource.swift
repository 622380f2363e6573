internal import GatewayAuth
internal import GatewayCore

/// The credentials of one alternative, for one origin: fixed credentials, and at most one renewable source.
final class SchemeCredentialSource: CompositeCredentialSource {
    let origin: Origin
    /// The hosts that get credentials over plain HTTP.
    let plainHTTP: PlainHTTPHosts
    let fixed: [FixedCredential]
    /// Custom credentials, which are applied after all others.
    let last: [FixedCredential]
    let renewed: (any CredentialSource)?
    /// Distinguishes the fixed credentials of this client from those of other clients.
    let fixedKey: String
    /// The account of the fixed credentials, if all of them have a name.
    let fixedAccount: String?

    init(
        origin: Origin, plainHTTP: PlainHTTPHosts = .none, fixed: [FixedCredential],
        last: [FixedCredential] = [], renewed: (any CredentialSource)? = nil, fixedKey: String,
        fixedAccount: String? = nil
    ) {
        self.origin = origin
        self.plainHTTP = plainHTTP
        self.fixed = fixed
        self.last = last
        self.renewed = renewed
        self.fixedKey = fixedKey
        self.fixedAccount = fixedAccount
    }

    var identity: CredentialIdentity { identity(over: renewed?.identity) }

    private func identity(over renewed: CredentialIdentity?) -> CredentialIdentity {
        guard let renewed else {
            return CredentialIdentity(key: fixedKey, epoch: 0, account: fixedAccount)
        }
        return CredentialIdentity(
            key: fixedKey + "|" + renewed.key, epoch: renewed.epoch,
            account: CredentialIdentity.account(joining: [fixedAccount, renewed.account]))
    }

    var isRenewable: Bool { renewed?.isRenewable ?? false }

    func pinned() -> any CredentialSource {
        guard let renewed else { return self }
        let pinned = renewed.pinned()
        return pinned === renewed ? self : replacing(pinned)
    }

    func replacing(_ renewed: any CredentialSource) -> any CredentialSource {
        SchemeCredentialSource(
            origin: origin, plainHTTP: plainHTTP, fixed: fixed, last: last, renewed: renewed,
            fixedKey: fixedKey, fixedAccount: fixedAccount)
    }

    func note(_ response: HTTPResponse, to request: HTTPRequest) { renewed?.note(response, to: request) }

    func isRepeatable(after response: HTTPResponse) -> Bool {
        renewed?.isRepeatable(after: response) ?? false
    }

    func reject(_ generation: UInt64, renewing: Bool) { renewed?.reject(generation, renewing: renewing) }

    func isReady(atLeast generation: UInt64) -> Bool {
        renewed?.isReady(atLeast: generation) ?? (generation <= 1)
    }

    func hasExpired(atLeast generation: UInt64) -> Bool {
        renewed?.hasExpired(atLeast: generation) ?? false
    }

    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
        if let renewed { return try await renewed.ready(atLeast: generation, deadline: deadline) }
        try refuse(generation)
    }

    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        if let renewed { return try await renewed.ready(atLeast: generation, for: call) }
        try refuse(generation)
    }

    /// Fixed credentials have only generation 1; a later one cannot be obtained.
    private func refuse(_ generation: UInt64) throws(NetworkError) {
        guard generation <= 1 else {
            throw NetworkError(
                .reauthenticationRequired,
                "The credential was rejected and cannot be renewed. Replace it.", origin: origin,
                status: 401)
        }
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

    /// Applies all credentials or none. The generation is that of the renewable source.
    private func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64, ifReady: Bool
    ) throws(NetworkError) -> CredentialStamp? {
        guard request.origin == origin else {
            throw NetworkError(
                .insecureOrigin,
                "The credential is configured for \(origin) and is not sent to another origin.",
                origin: request.origin)
        }
        try origin.refuseInsecure(allowing: plainHTTP)
        var stamped = request
        for credential in fixed { try credential.apply(to: &stamped) }
        var stamp = CredentialStamp(identity: identity(over: nil), generation: 1)
        if let renewed {
            let inner =
                ifReady
                ? try renewed.stampIfReady(&stamped, atLeast: generation)
                : try renewed.stamp(&stamped, atLeast: generation)
            guard let inner else { return nil }
            stamp = CredentialStamp(identity: identity(over: inner.identity), generation: inner.generation)
        } else if generation > 1 {
            return nil
        }
        for credential in last { try credential.apply(to: &stamped) }
        request = stamped
        return stamp
    }
}

extension SchemeCredentialSource: EventReporting {
    func report(to outlet: EventOutlet) { (renewed as? any EventReporting)?.report(to: outlet) }
}
