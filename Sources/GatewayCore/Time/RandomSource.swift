/// Where randomness comes from: jitter, trace ids, idempotency keys. A seeded one makes a run repeatable.
public protocol RandomSource: Sendable {
    /// Sixty-four uniformly distributed bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A uniform number in `[0, 1)`.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// The system's cryptographic generator.
public struct SystemRandomSource: RandomSource {
    /// Makes one; all are the same.
    public init() {}

    /// Sixty-four random bits.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
