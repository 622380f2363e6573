import GatewayCore
private import GatewayLibC

/// The seeds of the project's own random tests. They are fixed, unless the environment variable `GATEWAY_TEST_SEED` has
/// a number, which changes all of them. 0 means the fixed seeds.
package enum TestSeed {
    private static let offset: UInt64 =
        unsafe getenv("GATEWAY_TEST_SEED").flatMap { unsafe UInt64(String(cString: $0)) } ?? 0

    /// The seed of a test. Prints the seed and the variable for repeating the run.
    package static func value(
        _ fixed: UInt64, file: String = #fileID, function: String = #function
    ) -> UInt64 {
        let seed = offset == 0 ? fixed : fixed ^ SplitMix64.scatter(offset)
        print("seed \(seed) in \(file) \(function), GATEWAY_TEST_SEED=\(offset)")
        return seed
    }
}
