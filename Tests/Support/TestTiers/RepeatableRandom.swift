import Foundation

/// Random numbers that a seed determines. The seeds are fixed unless `GATEWAY_TEST_SEED` names a number, which changes all of
/// them: for tests that do not depend on `GatewayTesting`, which has `TestSeed` and `SeededRandomSource`.
public struct RepeatableRandom: RandomNumberGenerator {
    private static let offset =
        ProcessInfo.processInfo.environment["GATEWAY_TEST_SEED"].flatMap { UInt64($0) } ?? 0

    private var state: UInt64

    /// Prints the seed together with the variable that repeats it.
    public init(seed: UInt64, file: String = #fileID, function: String = #function) {
        state = seed
        if Self.offset != 0 {
            var scattered = self
            scattered.state = Self.offset
            state ^= scattered.next()
        }
        print("seed \(state) in \(file) \(function), GATEWAY_TEST_SEED=\(Self.offset)")
    }

    /// The next number (SplitMix64).
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
