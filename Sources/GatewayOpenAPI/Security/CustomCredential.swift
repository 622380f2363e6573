public import GatewayCore

/// What a security scheme takes that is known to the document alone, such as `http` of kind `digest` or `hoba`: a function
/// of yours that puts the credential on.
///
/// ```swift
/// let signed = CustomCredential.custom { request in
///     request.fields["Authorization"] = "Signature \(sign(request.method, request.target, request.body.bytes))"
/// }
/// ```
public struct CustomCredential: Sendable {
    let apply: @Sendable (inout HTTPRequest) throws -> Void
    private(set) var account: String?

    /// Puts the credential on each attempt of a call, last of all.
    ///
    /// - Parameter apply: changes fields or target; it must neither block nor call out. A request that it sends to another
    ///   origin is refused. What it throws fails the call with the code `credentialMisconfigured`, unless it is a
    ///   ``GatewayCore/NetworkError``.
    public static func custom(
        _ apply: @escaping @Sendable (inout HTTPRequest) throws -> Void
    ) -> CustomCredential {
        CustomCredential(apply: apply)
    }

    /// Names the account: an identifier that is the same in each process that uses this credential, and another one for
    /// another account. Without a name nothing of its calls may be kept on disk
    /// (``GatewayCore/CredentialIdentity/account``).
    public func account(_ name: String) -> CustomCredential {
        var copy = self
        copy.account = name
        return copy
    }
}
