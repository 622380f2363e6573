import GatewayAuth
package import GatewayCore

extension EmbeddedGateway {
    /// The use of a refresh token at the token endpoint, with digests instead of tokens.
    package struct RefreshTokenUse: Hashable, Sendable {
        /// The result of the use.
        package enum Outcome: String, Sendable {
            /// Accepted, and replaced if tokens are rotated.
            case granted
            /// Used before: its family is revoked from now on.
            case reused
            /// Its family was revoked before.
            case revoked
            /// It was not issued to this client.
            case unknown
        }

        /// The digest of the token.
        package let token: String
        /// The digest of the replacement, if any.
        package let replacement: String?
        /// The result.
        package let outcome: Outcome
        /// The number of its family, in the order of sign-ins.
        package let family: Int?
        /// The time of the use, on the gateway's clock.
        package let time: ContinuousClock.Instant
        /// Whether a response was sent.
        package internal(set) var isAnswered = true

        init(
            of token: Secret, _ use: RefreshTokenFamilies.Use, family: Int?, replacement: Secret?,
            time: ContinuousClock.Instant
        ) {
            self.token = Self.digest(of: token)
            self.family = family
            self.time = time
            switch use {
            case .good:
                outcome = .granted
                self.replacement = replacement.map(Self.digest)
            case .reused:
                outcome = .reused
                self.replacement = nil
            case .unknown:
                outcome = family == nil ? .unknown : .revoked
                self.replacement = nil
            }
        }

        /// A digest that distinguishes tokens: 48 bits of SHA-256.
        package static func digest(of token: Secret) -> String {
            String(TokenKey(subject: token.exposed).digest.prefix(12))
        }
    }
}
