public import GatewayCore

/// Repeatable randomness: the same seed gives the same numbers (SplitMix64).
public final class SeededRandomSource: RandomSource {
    private let state: Locked<UInt64>

    /// Creates a sequence.
    public init(seed: UInt64) { state = Locked(seed) }

    /// The next number of the sequence.
    public func next() -> UInt64 {
        let counter = state.withLock { state in
            state &+= SplitMix64.increment
            return state
        }
        return SplitMix64.scatter(counter)
    }

    /// A uniformly distributed number in the range; its lower bound if it is empty.
    public func int(in range: Range<Int>) -> Int {
        let width = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
        return range.lowerBound &+ Int(truncatingIfNeeded: next() % max(1, width))
    }
}
