import Synchronization

/// Where randomness comes from: jitter, trace ids, idempotency keys. A seeded one makes a run repeatable.
public protocol RandomSource: Sendable {
    /// Sixty-four uniformly distributed bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A uniform number in `[0, 1)`.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// Numbers that are fast to have and good enough to spread waits and to tell calls apart, but no secret: SplitMix64,
/// begun at a random place.
public struct FastRandomSource: RandomSource {
    private static let state = Atomic<UInt64>(SystemRandomSource().next())

    /// Makes one; all share one sequence.
    public init() {}

    /// The next number of the sequence.
    public func next() -> UInt64 {
        SplitMix64.scatter(Self.state.wrappingAdd(SplitMix64.increment, ordering: .relaxed).newValue)
    }
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
