import GatewayClient
import GatewayTesting

@testable import GatewayNetworkMonitor

/// Two namespaces with a cable between them: `v0` with 10.99.0.1 here, `e0` with 10.99.0.2 there.
struct NamespacePair {
    static let serverAddress: [UInt8] = [10, 99, 0, 2]
    static let serverText = "10.99.0.2"

    let here: NetworkNamespace
    let there: NetworkNamespace

    init() throws {
        (here, there) = (try NetworkNamespace(address: nil), try NetworkNamespace(address: nil))
        try here.batch(["link set p0 netns \(there.name) name e0"])
        try there.batch(
            NetworkNamespace.quickNeighbors(of: "e0")
                + ["link set lo up", "addr add 10.99.0.2/24 dev e0", "link set e0 up"])
        try here.batch(["addr add 10.99.0.1/24 dev v0", "link set v0 up"])
        try here.waitForCarrier(of: "v0")
    }

    /// A monitor of this side, and an engine that follows it.
    ///
    /// - Parameters:
    ///   - clock: of the monitor's delays.
    ///   - prepare: runs first, on the thread that makes both; `false` if that fails.
    ///   - change: sets what the test needs. Without it a call is not repeated, and its limits are an hour, so that what ends
    ///     it is no time limit.
    func makeEngine(
        clock: any GatewayClock, prepare: @escaping @Sendable () -> Bool = { true },
        changing change:
            @escaping @Sendable (inout GatewayConfiguration, ReachabilityMonitor) throws -> Void = { _, _ in }
    ) async throws -> (ReachabilityMonitor, GatewayEngine) {
        let made = await here.run { () -> Result<(ReachabilityMonitor, GatewayEngine), any Error> in
            Result {
                guard prepare() else { throw WaitFailure(description: "the thread is not prepared") }
                var settings = ReachabilityMonitor.Configuration()
                settings.clock = clock
                let monitor = try ReachabilityMonitor(configuration: settings)
                var configuration = GatewayConfiguration()
                configuration.network = monitor
                configuration.retry.policy = .never
                configuration.deadline = nil
                let hour = Duration.seconds(3_600)
                configuration.transport.timeouts = .init(
                    queue: hour, connect: hour, firstByte: hour, read: hour, write: hour, whole: hour)
                try change(&configuration, monitor)
                return (monitor, GatewayEngine(configuration: configuration))
            }
        }
        guard let made else { throw WaitFailure(description: "the namespace cannot be entered") }
        return try made.get()
    }
}
