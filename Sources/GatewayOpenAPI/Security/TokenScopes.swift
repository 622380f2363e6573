/// Which scopes the tokens of a generated client's credential are asked for with.
public enum TokenScopes: Hashable, Sendable {
    /// Those that the operation needs: each set has a token of its own, and each call carries the least.
    case ofOperation
    /// All that the document lists for the scheme: one token for everything.
    case ofDocument
    /// These, whatever the operation needs.
    case exactly([String])
}
