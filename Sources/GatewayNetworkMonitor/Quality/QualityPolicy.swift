public import GatewayCore

/// How the quality of the network is judged.
///
/// A round trip is that of TCP, not of a call: a slow server does not make the network slow.
public struct QualityPolicy: Hashable, Sendable {
    /// Below this median round trip the quality is excellent. 100 ms.
    public var excellentBelow: Duration = .milliseconds(100)
    /// Below this median round trip the quality is good. 300 ms.
    public var goodBelow: Duration = .milliseconds(300)
    /// Below this median round trip the quality is moderate, otherwise poor. 1 s.
    public var moderateBelow: Duration = .seconds(1)
    /// Below this median throughput of large bodies, in bytes per second, the quality is at most moderate: a server may be
    /// slow, too. 125,000, which is 1 Mbit/s. 0 ignores throughput.
    public var moderateBelowThroughput: Double = 125_000
    /// The smallest body, in bytes, whose throughput counts. 256 KiB.
    public var throughputBodyBytes: Int64 = 256 << 10
    /// After this time a sample counts half. 60 s.
    public var halfLife: Duration = .seconds(60)
    /// How many of the latest samples of a way count, if they are ``sampleInterval`` apart. 20. They cover 5 s then; of round
    /// trips that take longer than the interval, and are made one after the other, as many count as took 5 s, but three at least.
    public var sampleCount = 20
    /// Of several samples in this time only the latest counts, so that a burst of calls is no history. 250 ms.
    public var sampleInterval: Duration = .milliseconds(250)
    /// How long another quality must last to be reported. 2 s.
    public var holdTime: Duration = .seconds(2)

    /// The defaults.
    public init() {}

    /// The defaults.
    public static let standard = QualityPolicy()

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        let rule = "must be more than 0"
        try NetworkError.require(excellentBelow > .zero, "excellentBelow", rule)
        try NetworkError.require(
            goodBelow > excellentBelow, "goodBelow", "must be more than excellentBelow")
        try NetworkError.require(
            moderateBelow > goodBelow, "moderateBelow", "must be more than goodBelow")
        try NetworkError.require(
            moderateBelowThroughput >= 0 && moderateBelowThroughput.isFinite, "moderateBelowThroughput",
            "must be 0 or more")
        try NetworkError.require(throughputBodyBytes > 0, "throughputBodyBytes", rule)
        try NetworkError.require(halfLife > .zero, "halfLife", rule)
        try NetworkError.require(
            (1...1_000).contains(sampleCount), "sampleCount", "must be from 1 to 1,000")
        try NetworkError.require(sampleInterval > .zero, "sampleInterval", rule)
        try NetworkError.require(holdTime > .zero, "holdTime", rule)
    }
}
