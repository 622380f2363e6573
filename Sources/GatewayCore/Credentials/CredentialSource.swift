/// Where the layers below authentication get the credential of each attempt from.
///
/// Waiting and stamping are two steps: ``ready(atLeast:deadline:)`` may refresh while the caller holds no
/// permit; ``stamp(_:atLeast:)`` is done at the last moment and never waits, so that a slow token server never
/// looks like a slow API.
public protocol CredentialSource: Sendable {
    /// Whose credential it is: stable over refreshes, new at login and logout.
    var identity: CredentialIdentity { get }

    /// Returns when a credential of this generation or a later one is at hand; may refresh.
    ///
    /// - Parameters:
    ///   - generation: the oldest generation that will do; 0 for any.
    ///   - deadline: when this caller stops waiting. A refresh that others share goes on without it.
    /// - Throws: ``NetworkError`` of category ``ErrorCategory/authentication``, ``NetworkError/timeout`` or
    ///   ``NetworkError/cancelled``.
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError)

    /// Puts the credential on the request.
    ///
    /// - Returns: with what the request was stamped; `nil` when no credential of that generation is at hand any
    ///   more: give the permit back and call ``ready(atLeast:deadline:)`` again.
    /// - Throws: ``NetworkError`` with code ``NetworkError/insecureOrigin`` and the like, when this request must
    ///   not carry the credential.
    func stamp(_ request: inout HTTPRequest, atLeast generation: UInt64) throws(NetworkError)
        -> CredentialStamp?
}
