import GatewayAuth
import GatewayCore

/// The credential that the variables describe.
struct EnvironmentCredential: Sendable {
    let key: TokenKey
    let acquirer: any TokenAcquirer
    let store: (any TokenStore)?
    let transport: TokenTransport?
    /// How a person signs in; `nil` for grants without a person.
    var signIn: EnvironmentSignIn?
    /// The name of the account.
    var account: String?
    /// Names the variables that an error is about.
    var hint: VariableHint?
}

extension EnvironmentCredential {
    /// The credential of a provider of a single token.
    init(_ provider: any TokenProvider) {
        self.init(key: .default, acquirer: ProviderAcquirer(provider), store: nil, transport: nil)
    }
}
