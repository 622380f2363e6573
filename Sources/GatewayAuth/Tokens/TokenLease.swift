public import GatewayCore

/// A token that was given to a caller, with the data to report it as rejected later.
///
/// The value is one pointer. Why: thousands of calls can wait for one, and each has several async frames
/// that reserve space for it.
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
    /// The login that the token belongs to, and its generation.
    public var stamp: CredentialStamp { values.stamp }
    /// The access token.
    public var accessToken: Secret { values.accessToken }
    /// How the access token is used. A token of type ``AccessTokenType/dpop`` must not be sent as a bearer token.
    public var type: AccessTokenType { values.type }

    /// The number of the token for its key, from 1. It grows with each refresh.
    public var generation: UInt64 { stamp.generation }
    /// The number of the login. It grows with each sign-in and sign-out.
    public var epoch: UInt64 { stamp.identity.epoch }

    init(key: TokenKey, stamp: CredentialStamp, accessToken: Secret, type: AccessTokenType) {
        values = Values(key: key, stamp: stamp, accessToken: accessToken, type: type)
    }
}
