import GatewayCore

extension WordDigest {
    private static let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max) | 1)

    /// A digest with random numbers for each process, so that collisions cannot be chosen from outside.
    static var seeded: WordDigest {
        let (seed, multiplier) = random
        return WordDigest(state: seed, key: 0xA076_1D64_78BD_642F, multiplier: multiplier)
    }
}
