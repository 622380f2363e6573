import GatewayClient
import GatewayNetworkMonitor

/// `gateway status`: shows whether this machine has a network, and whether it leads to the origins that are named.
@MainActor
struct StatusCommand {
    private let arguments: StatusArguments
    private var tls: TLSFailures?

    init(_ arguments: StatusArguments) { self.arguments = arguments }

    /// Prints the state, and with `--watch` each change.
    ///
    /// - Returns: the exit status; not 0 if there is no network, or it does not lead to an origin.
    mutating func run() async throws -> Int32 {
        let monitor = try ReachabilityMonitor(configuration: settings())
        guard arguments.watches else {
            let condition = await monitor.checkOrigins()
            try Task.checkCancellation()
            let failures = condition.isOnline ? tls?.texts ?? [] : []
            try Console.print(
                Self.line(condition, hasTLSFailed: !failures.isEmpty) + Self.text(of: monitor.reachability)
                    + failures.map { "  \(Console.printable($0))\n" }.joined())
            return condition.isOnline && condition.obstacle == nil && failures.isEmpty
                ? ExitStatus.success : ExitStatus.network
        }
        let status = NetworkStatus(of: monitor)
        for await line in status.lines() { try Console.print("\(line)\n") }
        try Task.checkCancellation()
        return ExitStatus.success
    }

    /// The first line of a single reading.
    private static func line(_ condition: NetworkCondition, hasTLSFailed: Bool) -> String {
        // What to do without a network is no question of a single reading.
        guard condition.isOnline else { return "offline\n" }
        // TLS that failed from the start is no obstacle of the network: the certificate may be wrong.
        if condition.obstacle == nil, hasTLSFailed { return "online, secure connections fail\n" }
        return "\(NetworkStatusLine(quality: .excellent, obstacle: condition.obstacle))\n"
    }

    /// The settings of the monitor. The variables of the transport are read for requests to origins, and no others.
    private mutating func settings() throws -> ReachabilityMonitor.Configuration {
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
        if let interval = arguments.interval { settings.networkRecheckInterval = interval }
        let curl = CurlTransport(configuration: transport)
        let tls = arguments.watches ? TLSFailures(curl) { Console.complain($0) } : TLSFailures(curl)
        self.tls = tls
        settings.portalCheck = PortalCheck(transport: tls, path: arguments.path)
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
