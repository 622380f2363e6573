import GatewayCore

/// Numbers at the ends of their types, for tests of what takes numbers from users, files and servers.
package enum ExtremeValues {
    /// Durations from the shortest to the longest that there are.
    package static let durations: [Duration] = [
        Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero - .nanoseconds(1), .zero,
        .nanoseconds(1), .seconds(Int64.max / 2), .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    /// Floating-point numbers, those that are none among them.
    package static let doubles: [Double] = [
        .nan, -.infinity, -.greatestFiniteMagnitude, -1e30, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1e30,
        .greatestFiniteMagnitude, .infinity,
    ]

    /// Integers.
    package static let integers: [Int] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
}
