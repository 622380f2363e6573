import GatewayCore

/// Unpredictable, unique texts.
enum RandomText {
    /// Encodes random 64-bit words in base64url. Four words give 43 characters, the minimum of a PKCE verifier (RFC
    /// 7636 §4.1).
    static func make(words: Int, from random: any RandomSource) -> String {
        Base64.encodeURL(
            (0..<words).flatMap { _ in
                let word = random.next()
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
            })
    }
}
