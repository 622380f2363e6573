import GatewayCore

extension WordDigest {
    private static let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)

    /// A digest with a random seed for each process, so that an attacker cannot choose collisions.
    static var seeded: WordDigest {
        let (seed, multiplier) = random
        return WordDigest(state: seed, key: 0xA076_1D64_78BD_642F, multiplier: multiplier)
    }
}
