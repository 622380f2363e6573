#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// How long the project's own long tests take: the environment variable `GATEWAY_SOAK_SCALE` multiplies their
/// rounds, 1 where it is not set.
package enum SoakScale {
    private static let factor: Double =
        unsafe getenv("GATEWAY_SOAK_SCALE").flatMap { text in
            unsafe Double(String(cString: text)).flatMap { (0...1_000).contains($0) ? $0 : nil }
        } ?? 1

    /// So many rounds, at least one.
    package static func rounds(_ count: Int) -> Int { max(1, Int((Double(count) * factor).rounded())) }
}
