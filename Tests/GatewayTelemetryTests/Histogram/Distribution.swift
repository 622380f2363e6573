import GatewayTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Durations as they are distributed in practice, in nanoseconds.
enum Distribution: String, CaseIterable {
    case lognormal, uniform, bimodal, pareto, constant

    func sample(_ random: SeededRandomSource) -> UInt64 {
        let unit = { Double(random.next() >> 11) / 9_007_199_254_740_992 }
        let seconds: Double =
            switch self {
            case .lognormal:
                exp(-3 + (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()))
            case .uniform: 0.001 + unit() * 0.5
            case .bimodal: unit() < 0.7 ? 0.002 + unit() * 0.001 : 0.4 + unit() * 0.3
            case .pareto: 0.001 / pow(1 - unit(), 1 / 1.5)
            case .constant: 0.0375
            }
        return UInt64(min(seconds, 3_600) * 1e9)
    }

    /// As many samples of a seed.
    func samples(_ count: Int, seed: UInt64 = 7) -> [UInt64] {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        return (0..<count).map { _ in sample(random) }
    }
}
