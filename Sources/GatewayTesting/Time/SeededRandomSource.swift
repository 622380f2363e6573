public import GatewayCore

/// Randomness that repeats: the same seed gives the same numbers (SplitMix64).
public final class SeededRandomSource: RandomSource {
    private let state: Locked<UInt64>

    /// Starts a sequence.
    public init(seed: UInt64) { state = Locked(seed) }

    /// The next number of the sequence.
    public func next() -> UInt64 {
        var mixed = state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A uniform number from the range.
    public func int(in range: Range<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }
}
