public import GatewayCore

/// The credential of any other security scheme, such as `http` of kind `digest` or `hoba`: a function that adds the
/// credential to a request.
///
/// ```swift
/// let signed = CustomCredential.custom { request in
///     request.fields["Authorization"] = "Signature \(sign(request.method, request.target, request.body.bytes))"
/// }
/// ```
public struct CustomCredential: Sendable {
    let apply: @Sendable (inout HTTPRequest) throws -> Void
    private(set) var account: String?

    /// A credential that a function adds to each attempt, after all other changes to the request.
    ///
    /// - Parameter apply: changes header fields or the target. It must neither block nor make calls, and must not
    ///   change the origin; otherwise the request is not sent. An error that is not a ``GatewayCore/NetworkError``
    ///   fails the call with the code `credentialMisconfigured`.
    public static func custom(
        _ apply: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) -> CustomCredential {
        CustomCredential(apply: apply)
    }

    /// Sets the account name: a stable identifier that is the same in all processes that use this credential, and
    /// different for each account. Without it, data of its calls is not stored on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> CustomCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
