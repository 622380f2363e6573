import GatewayAuth
package import GatewayCore

extension EmbeddedGateway {
    /// What came of a refresh token at the token endpoint, with digests in place of tokens.
    package struct RefreshTokenUse: Hashable, Sendable {
        /// What the server made of it.
        package enum Outcome: String, Sendable {
            /// It was good, and was replaced where tokens rotate.
            case granted
            /// It had been used before: its family is revoked from here on.
            case reused
            /// Its family was revoked before.
            case revoked
            /// It was never issued to this client.
            case unknown
        }

        /// The token that was sent.
        package let token: String
        /// The token that takes its place, if any.
        package let replacement: String?
        /// What came of it.
        package let outcome: Outcome
        /// The family that it belongs to, in the order of sign-ins.
        package let family: Int?
        /// When, on the gateway's clock.
        package let time: ContinuousClock.Instant
        /// Whether an answer was sent.
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

        /// Tells tokens apart and opens nothing: 48 bits of a SHA-256.
        package static func digest(of token: Secret) -> String {
            String(TokenKey(subject: token.exposed).digest.prefix(12))
        }
    }
}
