import Synchronization

/// A source of randomness for jitter, trace IDs and idempotency keys. A seeded source makes a run repeatable.
public protocol RandomSource: Sendable {
    /// 64 uniformly distributed random bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A uniformly distributed number in `[0, 1)`.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// A fast source for jitter and unique identifiers, not for secrets: SplitMix64 with a random initial state.
public struct FastRandomSource: RandomSource {
    private static let state = Atomic<UInt64>(SystemRandomSource().next())

    /// Creates a source. All instances share one sequence.
    public init() {}

    /// The next number of the sequence.
    public func next() -> UInt64 {
        SplitMix64.scatter(Self.state.wrappingAdd(SplitMix64.increment, ordering: .relaxed).newValue)
    }
}

/// The cryptographic random generator of the system.
public struct SystemRandomSource: RandomSource {
    /// Creates a source. All instances are equivalent.
    public init() {}

    /// 64 random bits.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
