internal import GatewayAuth

/// How a client obtains tokens from a token endpoint.
struct ClientGrant: Sendable {
    /// Which tokens one grant can obtain.
    enum Span: Sendable {
        /// Tokens of the client itself, one for each set of scopes.
        case client
        /// Tokens of another subject, one for each set of scopes.
        case subject
        /// One token for all scopes. Why: the grant can be used only once.
        case single
    }

    let name: StaticString
    let authentication: ClientAuthentication
    let span: Span
    let make: @Sendable (TokenEndpoint) -> any TokenAcquirer
}
