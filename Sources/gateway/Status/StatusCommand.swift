import GatewayClient
import GatewayNetworkMonitor

/// `gateway status`: shows whether this machine has a network, and whether it leads to the origins that are named.
@MainActor
struct StatusCommand {
    private let arguments: StatusArguments

    init(_ arguments: StatusArguments) { self.arguments = arguments }

    /// Prints the state, and with `--watch` each change.
    ///
    /// - Returns: the exit status; not 0 if there is no network, or it does not lead to an origin.
    func run() async throws -> Int32 {
        let monitor = try ReachabilityMonitor(configuration: settings())
        guard arguments.watches else {
            let condition = await monitor.checkOrigins()
            try Task.checkCancellation()
            let line = NetworkStatusLine(
                quality: condition.isOnline ? .excellent : .offline, obstacle: condition.obstacle)
            // What to do without a network is no question of a single reading.
            try Console.print(
                (condition.isOnline ? "\(line)\n" : "offline\n") + Self.text(of: monitor.reachability))
            return condition.isOnline && condition.obstacle == nil ? ExitStatus.success : ExitStatus.network
        }
        let status = NetworkStatus(of: monitor)
        for await line in status.lines() { try Console.print("\(line)\n") }
        try Task.checkCancellation()
        return ExitStatus.success
    }

    /// The settings of the monitor. The variables of the transport are read for requests to origins, and no others.
    private func settings() throws -> ReachabilityMonitor.Configuration {
        var settings = ReachabilityMonitor.Configuration()
        guard !arguments.origins.isEmpty else { return settings }
        let transport: CurlConfiguration
        do { transport = try GatewayEnvironment(requiresOrigins: false).configuration().transport } catch {
            throw CommandFailure(ExitStatus.usage, "\(error)\nSee: gateway help environment")
        }
        settings.origins = arguments.origins
        settings.isProxied = transport.proxy != nil || transport.unixSocketPath != nil
        if settings.isProxied {
            Console.complain("origins are not checked, because calls leave through a proxy")
        }
        settings.heartbeat = .init()
        settings.portalCheck = PortalCheck(
            transport: CurlTransport(configuration: transport), path: arguments.path)
        settings.reportsInterceptedTLS = true
        return settings
    }

    /// The interfaces, one a line.
    private static func text(of reachability: Reachability) -> String {
        reachability.interfaces.map { interface in
            "  \(Console.printable(interface.name)): \(interface.kind.rawValue)"
                + (interface.hasDefaultRoute ? ", default route" : "") + "\n"
        }.joined()
    }
}
