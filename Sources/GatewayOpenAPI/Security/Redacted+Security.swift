import GatewayCore

extension APIKeyCredential: Redacted {}
extension BasicCredential: Redacted {}
extension BearerCredential: Redacted {}
extension ConfiguredCredentials: Redacted {}
extension CustomCredential: Redacted {}
extension OAuthLogin: Redacted {}
