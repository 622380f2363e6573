/// Numbers at the ends of their types.
enum Extremes {
    static let durations: [Duration] = [
        Duration(attoseconds: .min), .seconds(Int64.min), .seconds(-1), .zero - .nanoseconds(1), .zero,
        .nanoseconds(1), .seconds(Int64.max / 2), .seconds(Int64.max), Duration(attoseconds: .max),
    ]

    static let doubles: [Double] = [
        .nan, -.infinity, -.greatestFiniteMagnitude, -1e30, -1, -0.0, 0, .leastNonzeroMagnitude, 1, 1e30,
        .greatestFiniteMagnitude, .infinity,
    ]

    static let integers: [Int] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
}
