/// The scopes to request for the tokens of a generated client.
public enum TokenScopes: Hashable, Sendable {
    /// The scopes that the operation requires. Each set of scopes has its own token, so each call has the least
    /// privileges.
    case ofOperation
    /// All scopes that the document lists for the scheme, and those of the operation.
    case ofDocument
    /// Fixed scopes, regardless of the operation.
    case exactly([String])
}
