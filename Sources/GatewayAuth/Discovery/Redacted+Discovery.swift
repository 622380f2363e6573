import GatewayCore

// Each contains URLs, keys, or a value of a custom type.
extension AuthenticatedRequestEngine: Redacted {}
extension AuthorizationServerDiscovery: Redacted {}
extension DiscoveredTokenAcquirer: Redacted {}
extension JSONWebKeySetSource: Redacted {}
extension JSONWebTokenVerifier: Redacted {}
