public import GatewayCore

/// A token as it was given to one caller, with what is needed to say later that it was rejected.
///
/// The value is one pointer wide: thousands of calls may wait for one, and each has room for it in several async frames.
public struct TokenLease: Sendable {
    private final class Values: Sendable {
        let key: TokenKey
        let stamp: CredentialStamp
        let accessToken: Secret
        let type: AccessTokenType

        init(key: TokenKey, stamp: CredentialStamp, accessToken: Secret, type: AccessTokenType) {
            self.key = key
            self.stamp = stamp
            self.accessToken = accessToken
            self.type = type
        }
    }

    private let values: Values

    /// The key of the token.
    public var key: TokenKey { values.key }
    /// The login that the token belongs to, and its number among the successive ones.
    public var stamp: CredentialStamp { values.stamp }
    /// The access token.
    public var accessToken: Secret { values.accessToken }
    /// How the access token is used. One of the type ``AccessTokenType/dpop`` must not be sent as a bearer token.
    public var type: AccessTokenType { values.type }

    /// Counts the tokens of a key, from 1; grows with every refresh.
    public var generation: UInt64 { stamp.generation }
    /// Grows at every login and logout.
    public var epoch: UInt64 { stamp.identity.epoch }

    init(key: TokenKey, stamp: CredentialStamp, accessToken: Secret, type: AccessTokenType) {
        values = Values(key: key, stamp: stamp, accessToken: accessToken, type: type)
    }
}
