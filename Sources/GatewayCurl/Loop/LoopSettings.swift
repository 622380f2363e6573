/// A configuration in the form that a loop uses.
final class LoopSettings: Sendable {
    let limits: TransferLimits
    let loops: Int
    let connectionsPerOrigin: Int
    let connectionsInAll: Int
    let waitingLimit: Int
    let idleSeconds: Int
    let ageSeconds: Int
    /// The configuration of new handles.
    let configuration: CurlConfiguration
    let userAgent: String
    let headerLimit: Int
    let speaksHTTP2: Bool
    let clock: LoopClock

    init(_ configuration: CurlConfiguration) {
        clock = LoopClock(configuration.clock)
        let timeouts = configuration.timeouts
        limits = TransferLimits(
            queue: LoopClock.nanoseconds(timeouts.queue), connect: LoopClock.nanoseconds(timeouts.connect),
            firstByte: LoopClock.nanoseconds(timeouts.firstByte), read: LoopClock.nanoseconds(timeouts.read),
            write: LoopClock.nanoseconds(timeouts.write), whole: LoopClock.nanoseconds(timeouts.whole))
        loops = min(max(1, configuration.loops), 64)
        connectionsInAll = Self.share(max(1, configuration.connectionsInAll), loops)
        connectionsPerOrigin = min(max(1, configuration.connectionsPerOrigin), connectionsInAll)
        waitingLimit = Self.share(max(0, configuration.waitingLimit), loops)
        idleSeconds = Self.seconds(configuration.maximumConnectionIdle)
        ageSeconds = Self.seconds(configuration.maximumConnectionAge)
        self.configuration = configuration
        userAgent = configuration.userAgent
        headerLimit = max(0, configuration.responseHeaderLimitBytes)
        speaksHTTP2 = configuration.httpVersion == .http2
    }

    private static func share(_ whole: Int, _ parts: Int) -> Int {
        whole / parts + (whole % parts > 0 ? 1 : 0)
    }

    static func seconds(_ duration: Duration) -> Int {
        Int(max(1, min(LoopClock.nanoseconds(duration) / 1_000_000_000, 1_000_000)))
    }
}
