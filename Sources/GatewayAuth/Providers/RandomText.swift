import GatewayCore

/// Texts that nobody guesses and that do not come twice.
enum RandomText {
    /// Random words of 64 bits in base64url: 43 characters for four of them, as many as a PKCE verifier needs
    /// (RFC 7636 §4.1).
    static func make(words: Int, from random: any RandomSource) -> String {
        Base64.encodeURL(
            (0..<words).flatMap { _ in
                let word = random.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            })
    }
}
