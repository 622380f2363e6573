/// Where the layers below authentication get the credential of each attempt from.
///
/// Waiting and stamping are two steps: ``ready(atLeast:deadline:)`` may refresh while the caller holds no
/// permit; ``stamp(_:atLeast:)`` is done at the last moment and never waits, so that a slow token server never
/// looks like a slow API.
public protocol CredentialSource: AnyObject, Sendable {
    /// Whose credential it is: stable over refreshes, new at login and logout.
    var identity: CredentialIdentity { get }

    /// The identity with its ``CredentialIdentity/account``, if a store of tokens has to be read for it: nothing is refreshed, and a
    /// store that fails leaves the account unknown. By default ``identity``.
    func identified() async -> CredentialIdentity

    /// Whether ``ready(atLeast:deadline:)`` would return at once; `false` where that is not known. Never waits.
    func isReady(atLeast generation: UInt64) -> Bool

    /// Returns when a credential of this generation or a later one is at hand; may refresh.
    ///
    /// - Parameters:
    ///   - generation: the oldest generation that will do; 0 for any.
    ///   - deadline: when this caller stops waiting. A refresh that others share goes on without it.
    /// - Throws: ``NetworkError`` of category ``ErrorCategory/authentication``, ``NetworkError/timeout`` or
    ///   ``NetworkError/cancelled``.
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError)

    /// The same for a call: waits until its deadline, and events of the credential can name the call while it waits. By
    /// default ``ready(atLeast:deadline:)`` with the call's deadline.
    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError)

    /// Puts the credential on the request.
    ///
    /// - Returns: with what the request was stamped; `nil` when no credential of that generation is at hand any
    ///   more: give the permit back and call ``ready(atLeast:deadline:)`` again.
    /// - Throws: ``NetworkError`` with code ``NetworkError/insecureOrigin`` and the like, when this request must
    ///   not carry the credential.
    func stamp(_ request: inout HTTPRequest, atLeast generation: UInt64) throws(NetworkError)
        -> CredentialStamp?

    /// Takes note of the answer to a request that it has stamped, whatever the status. Called before the permit of the
    /// attempt ends, so that the request that gets it next is stamped with what is known by then. Never waits.
    ///
    /// - Parameters:
    ///   - response: the answer.
    ///   - request: as it was stamped.
    func note(_ response: HTTPResponse, to request: HTTPRequest)

    /// Whether a call that was refused may be accepted with the very same credential, stamped anew: the server has
    /// said what it misses in the proof.
    func isRepeatable(after response: HTTPResponse) -> Bool

    /// Whether a rejected credential can be followed by another one. Where it cannot, a 401 goes to the caller.
    var isRenewable: Bool { get }

    /// The same credential for one call, under the login that is current now. A call never goes on under another's
    /// name: after a logout or a login the pinned credential gives nothing more.
    func pinned() -> any CredentialSource

    /// Takes note that a response did not accept a generation.
    ///
    /// - Parameters:
    ///   - generation: the one that the answered attempt carried.
    ///   - renewing: whether to begin with getting a newer one although nobody waits for it yet.
    func reject(_ generation: UInt64, renewing: Bool)
}

extension CredentialSource {
    /// ``identity``: for credentials whose account needs no store.
    public func identified() async -> CredentialIdentity { identity }
    /// `true`.
    public var isRenewable: Bool { true }
    /// Waits until the call's deadline.
    public func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        try await ready(atLeast: generation, deadline: call.deadline)
    }
    /// Not known.
    public func isReady(atLeast generation: UInt64) -> Bool { false }
    /// Does nothing: for credentials that ignore responses.
    public func note(_ response: HTTPResponse, to request: HTTPRequest) {}
    /// `false`.
    public func isRepeatable(after response: HTTPResponse) -> Bool { false }
    /// Itself: for credentials that nobody signs in or out of.
    public func pinned() -> any CredentialSource { self }
    /// Does nothing: for sources to which a call of ``ready(atLeast:deadline:)`` says enough.
    public func reject(_ generation: UInt64, renewing: Bool) {}
}
