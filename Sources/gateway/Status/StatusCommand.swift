import CommandArguments
import GatewayClient
import GatewayNetworkMonitor

/// `gateway status`: shows whether this machine has a network, and whether it leads to the origins that are named.
@MainActor
struct StatusCommand {
    /// Whether each change is printed until the command is interrupted.
    private let watches: Bool
    /// The origins that are checked.
    private let origins: [Origin]
    /// The path that is requested of each.
    private let path: String
    /// How often they are checked; `nil` for the default.
    private let interval: Duration?
    private var tls: TLSFailures?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        watches = arguments.has("--watch")
        var origins: [Origin] = []
        for text in arguments.all("--origin") {
            guard let origin = try? Origin(text) else {
                throw arguments.error(
                    "--origin must be a URL without user, path and query, such as https://api.example.com")
            }
            if !origins.contains(origin) { origins.append(origin) }
        }
        self.origins = origins
        path = arguments.value("--path") ?? "/"
        guard (try? ParsedURL("http://localhost" + path))?.target == path else {
            throw arguments.error("--path must be a path that begins with /")
        }
        interval = try arguments.duration("--interval")
        if arguments.has("--interval"), !watches || origins.isEmpty {
            throw arguments.error("--interval needs --watch and --origin")
        }
        if arguments.has("--path"), origins.isEmpty { throw arguments.error("--path needs --origin") }
    }

    /// Prints the state, and with `--watch` each change.
    ///
    /// - Returns: the exit status; not 0 if there is no network, or it does not lead to an origin.
    mutating func run() async throws -> Int32 {
        let monitor = try ReachabilityMonitor(configuration: settings())
        guard watches else {
            let condition = await monitor.checkOrigins()
            try Task.checkCancellation()
            let failures = condition.isOnline ? tls?.lines ?? [] : []
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
        guard !origins.isEmpty else { return settings }
        let transport: CurlConfiguration
        do { transport = try GatewayEnvironment(requiresOrigins: false).configuration().transport } catch {
            throw CommandFailure(error)
        }
        settings.origins = origins
        settings.isProxied = transport.proxy != nil || transport.unixSocketPath != nil
        if settings.isProxied {
            Console.complain("origins are not checked, because calls leave through a proxy")
        }
        settings.heartbeat = .init()
        if let interval { settings.networkRecheckInterval = interval }
        let curl = CurlTransport(configuration: transport)
        let tls = watches ? TLSFailures(curl) { Console.complain(lines: $0) } : TLSFailures(curl)
        self.tls = tls
        settings.portalCheck = PortalCheck(transport: tls, path: path)
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
