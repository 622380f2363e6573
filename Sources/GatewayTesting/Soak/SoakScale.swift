private import GatewayLibC

/// The duration of the project's own long tests. The environment variable `GATEWAY_SOAK_SCALE` multiplies their rounds.
/// Default: 1.
package enum SoakScale {
    private static let factor: Double =
        unsafe getenv("GATEWAY_SOAK_SCALE").flatMap { text in
            unsafe Double(String(cString: text)).flatMap { (0...1_000).contains($0) ? $0 : nil }
        } ?? 1

    /// The scaled number of rounds, at least 1.
    package static func rounds(_ count: Int) -> Int { max(1, Int((Double(count) * factor).rounded())) }
}
