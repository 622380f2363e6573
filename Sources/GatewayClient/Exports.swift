// One import is enough: `import GatewayClient`.
@_exported public import GatewayAuth
@_exported public import GatewayCore
@_exported public import GatewayCurl
@_exported public import GatewayJSON
@_exported public import GatewayOpenAPI
@_exported public import GatewayResilience
