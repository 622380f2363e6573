public import GatewayCore

/// A token as it was given to one caller, with what is needed to say later that it was rejected.
public struct TokenLease: Sendable {
    /// Which token.
    public let key: TokenKey
    /// Under which login, and with which of its successive tokens.
    public let stamp: CredentialStamp
    /// The access token.
    public let accessToken: Secret
    /// How the access token is used. One of the type ``AccessTokenType/dpop`` must not be sent as a bearer token.
    public let type: AccessTokenType

    /// Counts the tokens of a key, from 1; grows with every refresh.
    public var generation: UInt64 { stamp.generation }
    /// Grows at every login and logout.
    public var epoch: UInt64 { stamp.identity.epoch }

    init(key: TokenKey, stamp: CredentialStamp, accessToken: Secret, type: AccessTokenType) {
        self.key = key
        self.stamp = stamp
        self.accessToken = accessToken
        self.type = type
    }
}
