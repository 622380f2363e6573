internal import GatewayAuth

/// How a client gets tokens at a token endpoint.
struct ClientGrant: Sendable {
    /// How far one grant reaches.
    enum Span: Sendable {
        /// The client's own tokens, one for each set of scopes.
        case client
        /// Tokens of somebody else, one for each set of scopes.
        case subject
        /// One token for all: what it is had with is spent.
        case single
    }

    let name: StaticString
    let authentication: ClientAuthentication
    let span: Span
    let make: @Sendable (TokenEndpoint) -> any TokenAcquirer
}
