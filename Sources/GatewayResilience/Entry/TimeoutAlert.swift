public import GatewayCore

/// The rate of timeouts of an operation at which it is reported, by
/// ``GatewayCore/StateEvent/Kind/timeoutRateExceeded(operation:rate:calls:)``.
///
/// Calls are counted by origin and operation when they end; retried attempts, cancelled calls and local
/// rejections are not counted. Calls are counted only if the engine's sink is interested in
/// ``GatewayCore/EventInterests/state``. At most 1,024 pairs of origin and operation are counted at a time.
public struct TimeoutAlert: Hashable, Sendable {
    /// The rate of timeouts, more than 0 and up to 1.
    public var rate: Double
    /// The minimum number of calls in the window, 1 or more.
    public var minimumCalls: Int
    /// The length of the window, more than zero. It moves in steps of a tenth of its length.
    public var window: Duration

    /// Creates an alert.
    public init(rate: Double, minimumCalls: Int, window: Duration) {
        self.rate = rate
        self.minimumCalls = minimumCalls
        self.window = window
    }

    /// 10 % of at least 20 calls in 60 s. The default.
    public static let standard = TimeoutAlert(rate: 0.1, minimumCalls: 20, window: .seconds(60))

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(rate > 0 && rate <= 1, "rate", "must be more than 0 and up to 1")
        try NetworkError.require(minimumCalls >= 1, "minimumCalls", "must be 1 or more")
        try NetworkError.require(window > .zero, "window", "must be more than zero")
    }
}
