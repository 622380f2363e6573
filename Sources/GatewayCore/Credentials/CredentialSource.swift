/// The source of the credential for each attempt, for the layers below authentication.
///
/// Waiting and stamping are separate steps: ``ready(atLeast:deadline:)`` may refresh while the caller holds no permit;
/// ``stamp(_:atLeast:)`` is called at the last moment and never waits. So a slow token server is not mistaken for a
/// slow API.
public protocol CredentialSource: AnyObject, Sendable {
    /// The identity of the credential: unchanged by refreshes, new after a sign-in or sign-out.
    var identity: CredentialIdentity { get }

    /// The identity with its ``CredentialIdentity/account``. If necessary, the token store is read, but nothing is
    /// refreshed. If reading fails, the account is unknown. Default: ``identity``.
    func identified() async -> CredentialIdentity

    /// Whether ``ready(atLeast:deadline:)`` would return immediately; `false` if this is not known. Never waits.
    func isReady(atLeast generation: UInt64) -> Bool

    /// Waits until a credential of at least this generation is available. May refresh.
    ///
    /// - Parameters:
    ///   - generation: the minimum generation; 0 for any.
    ///   - deadline: when this caller stops waiting. A shared refresh continues without it.
    /// - Throws: ``NetworkError`` of category ``ErrorCategory/authentication``, ``NetworkError/timeout`` or
    ///   ``NetworkError/cancelled``.
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError)

    /// Like ``ready(atLeast:deadline:)`` with the deadline of a call. Events of the credential can contain the call
    /// while it waits. Default: calls ``ready(atLeast:deadline:)``.
    func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError)

    /// Stamps the request with the credential.
    ///
    /// - Returns: the stamp; `nil` if a credential of this generation is no longer available. Then give the permit back
    ///   and call ``ready(atLeast:deadline:)`` again.
    /// - Throws: ``NetworkError``, for example with the code ``NetworkError/insecureOrigin``, if this request must not
    ///   have the credential.
    func stamp(_ request: inout HTTPRequest, atLeast generation: UInt64) throws(NetworkError)
        -> CredentialStamp?

    /// Like ``isReady(atLeast:)`` and then ``stamp(_:atLeast:)``. Default: both.
    ///
    /// - Returns: the stamp; `nil` if the credential is not ready, or not known to be.
    func stampIfReady(_ request: inout HTTPRequest, atLeast generation: UInt64) throws(NetworkError)
        -> CredentialStamp?

    /// Asked when ``stamp(_:atLeast:)`` has returned `nil`: whether the newest credential ended by its own lifetime, rather
    /// than being rejected or replaced. A call fails if that happens repeatedly although it does not wait. Never waits.
    /// Default: `true`.
    func hasExpired(atLeast generation: UInt64) -> Bool

    /// Takes note of the answer to a request that it has stamped, whatever the status. Called before the permit of the
    /// attempt ends, so that the request that gets it next is stamped with what is known by then. Never waits.
    ///
    /// - Parameters:
    ///   - response: the response.
    ///   - request: the stamped request.
    func note(_ response: HTTPResponse, to request: HTTPRequest)

    /// Whether a call that was refused may be accepted with the very same credential, stamped anew: the server has
    /// said what it misses in the proof.
    func isRepeatable(after response: HTTPResponse) -> Bool

    /// Whether a rejected credential can be replaced by a newer one. If not, a 401 is returned to the caller. Default:
    /// `true`.
    var isRenewable: Bool { get }

    /// The credential for one call, fixed to the current login. After a sign-in or sign-out, it provides nothing, so a
    /// call never continues with another login. Default: `self`.
    func pinned() -> any CredentialSource

    /// Records that a response rejected a generation.
    ///
    /// - Parameters:
    ///   - generation: the generation in the rejected attempt.
    ///   - renewing: whether to start a refresh although no call waits for it yet.
    func reject(_ generation: UInt64, renewing: Bool)
}

extension CredentialSource {
    /// Default: ``identity``, for credentials whose account needs no store.
    public func identified() async -> CredentialIdentity { identity }
    /// Default: `true`.
    public var isRenewable: Bool { true }
    /// Default: waits until the call's deadline.
    public func ready(atLeast generation: UInt64, for call: RequestContext) async throws(NetworkError) {
        try await ready(atLeast: generation, deadline: call.deadline)
    }
    /// Default: `false`, not known.
    public func isReady(atLeast generation: UInt64) -> Bool { false }
    /// Default: ``isReady(atLeast:)``, then ``stamp(_:atLeast:)``.
    public func stampIfReady(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        isReady(atLeast: generation) ? try stamp(&request, atLeast: generation) : nil
    }
    /// Default: `true`, for credentials that are not known to be replaced.
    public func hasExpired(atLeast generation: UInt64) -> Bool { true }
    /// Does nothing: for credentials that ignore responses.
    public func note(_ response: HTTPResponse, to request: HTTPRequest) {}
    /// `false`.
    public func isRepeatable(after response: HTTPResponse) -> Bool { false }
    /// Default: `self`, for credentials without sign-in.
    public func pinned() -> any CredentialSource { self }
    /// Default: does nothing, for sources for which a call of ``ready(atLeast:deadline:)`` is sufficient.
    public func reject(_ generation: UInt64, renewing: Bool) {}
}
