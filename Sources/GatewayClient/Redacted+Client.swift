import GatewayCore

extension GatewayConfiguration: Redacted {}
extension GatewayConfiguration.Authentication: Redacted {}
extension GatewayEnvironment: Redacted {}
