/// A configuration in the form that a loop uses, with its share of the connections and of the waiting requests.
final class LoopSettings: Sendable {
    let limits: TransferLimits
    let loops: Int
    let connectionsPerOrigin: Int
    let connectionsInAll: Int
    let waitingLimit: Int
    let idleSeconds: Int
    /// The configuration of new handles.
    let configuration: CurlConfiguration
    let speaksHTTP2: Bool
    let clock: LoopClock

    /// - Parameters:
    ///   - loop: the number of the loop, from 0.
    ///   - clock: the clock of the transport, which all its loops share; `nil` creates one.
    init(_ configuration: CurlConfiguration, loop: Int = 0, clock: LoopClock? = nil) {
        self.clock = clock ?? LoopClock(configuration.clock)
        let timeouts = configuration.timeouts
        limits = TransferLimits(
            queue: LoopClock.nanoseconds(timeouts.queue), connect: LoopClock.nanoseconds(timeouts.connect),
            firstByte: LoopClock.nanoseconds(timeouts.firstByte), read: LoopClock.nanoseconds(timeouts.read),
            write: LoopClock.nanoseconds(timeouts.write), whole: LoopClock.nanoseconds(timeouts.whole))
        // Each loop needs a connection.
        let inAll = max(1, configuration.connectionsInAll)
        loops = min(max(1, configuration.loops), 64, inAll)
        connectionsInAll = Self.share(inAll, loops, loop)
        connectionsPerOrigin = min(max(1, configuration.connectionsPerOrigin), connectionsInAll)
        waitingLimit = Self.share(max(0, configuration.waitingLimit), loops, loop)
        idleSeconds = Self.seconds(configuration.maximumConnectionIdle)
        self.configuration = configuration
        speaksHTTP2 = configuration.httpVersion == .http2
    }

    /// The share of a loop. The shares of all loops add up to `whole`.
    private static func share(_ whole: Int, _ loops: Int, _ loop: Int) -> Int {
        whole / loops + (loop < whole % loops ? 1 : 0)
    }

    static func seconds(_ duration: Duration) -> Int {
        Int(max(1, min(LoopClock.nanoseconds(duration) / 1_000_000_000, 1_000_000)))
    }
}
