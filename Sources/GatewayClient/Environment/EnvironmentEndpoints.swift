import GatewayAuth

/// The authorization server that the variables name.
enum EnvironmentEndpoints: Sendable {
    case issuer(String, AuthorizationServerDiscovery.Convention, ignoresTrailingSlash: Bool)
    case urls(token: String, revocation: String?, device: String?, authorization: String?)
}
