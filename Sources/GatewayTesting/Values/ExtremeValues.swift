import GatewayCore

/// Values at the limits of their types, for tests of code that gets numbers from users, files and servers.
package enum ExtremeValues {
    /// Durations, including the minimum and the maximum.
    package static let durations: [Duration] = [
        Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero - .nanoseconds(1), .zero,
        .nanoseconds(1), .seconds(Int64.max / 2), .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    /// Floating-point numbers, including NaN and infinities.
    package static let doubles: [Double] = [
        .nan, -.infinity, -.greatestFiniteMagnitude, -1e30, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1e30,
        .greatestFiniteMagnitude, .infinity,
    ]

    /// Integers.
    package static let integers: [Int] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
}
