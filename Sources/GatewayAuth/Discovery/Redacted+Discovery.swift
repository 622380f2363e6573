import GatewayCore

// Each holds URLs, keys, or a type of the user's own.
extension AuthenticatedRequestEngine: Redacted {}
extension AuthorizationServerDiscovery: Redacted {}
extension DiscoveredTokenAcquirer: Redacted {}
extension JSONWebKeySetSource: Redacted {}
extension JSONWebTokenVerifier: Redacted {}
