import GatewayAuth
import GatewayCore

/// What gets the tokens that the variables describe.
struct EnvironmentCredential: Sendable {
    let key: TokenKey
    let acquirer: any TokenAcquirer
    let store: (any TokenStore)?
    let transport: (any Transport)?
    /// Where somebody signs in; `nil` where nobody has to.
    var login: EnvironmentClient?
}

extension EnvironmentCredential {
    /// One that a provider of a single token gives.
    init(_ provider: any TokenProvider) {
        self.init(key: .default, acquirer: ProviderAcquirer(provider), store: nil, transport: nil)
    }
}
