import GatewayCore

extension GatewayConfiguration: Redacted {}
extension GatewayConfiguration.Authentication: Redacted {}
extension GatewayEngine: Redacted {}
extension GatewayEnvironment: Redacted {}
