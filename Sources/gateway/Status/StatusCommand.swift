import GatewayClient
import GatewayNetworkMonitor

/// The command line of `gateway status`.
struct StatusArguments {
    /// Whether each change is printed until the command is interrupted.
    let watches: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.limitPositional(to: 0)
        watches = arguments.has("--watch")
    }
}

/// `gateway status`: shows whether this machine has a network.
@MainActor
struct StatusCommand {
    private let arguments: StatusArguments

    init(_ arguments: StatusArguments) { self.arguments = arguments }

    /// Prints the state, and with `--watch` each change.
    ///
    /// - Returns: the exit status; not 0 if there is no network.
    func run() async throws -> Int32 {
        let monitor = try ReachabilityMonitor()
        guard arguments.watches else {
            try Console.print(Self.text(of: monitor.reachability))
            return monitor.isConnected ? ExitStatus.success : ExitStatus.network
        }
        let status = NetworkStatus(of: monitor)
        for await line in status.lines() { try Console.print("\(line)\n") }
        try Task.checkCancellation()
        return ExitStatus.success
    }

    /// The state, and the interfaces, one a line.
    private static func text(of reachability: Reachability) -> String {
        let lines = reachability.interfaces.map { interface in
            "  \(Console.printable(interface.name)): \(interface.kind.rawValue)"
                + (interface.hasDefaultRoute ? ", default route" : "") + "\n"
        }
        return (reachability.isOnline ? "online\n" : "offline\n") + lines.joined()
    }
}
