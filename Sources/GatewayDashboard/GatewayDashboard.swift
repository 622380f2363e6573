public import GatewayClient
import GatewayCore
import GatewayListener
import GatewayTelemetry

/// A page that shows what a client does: rates, durations, single calls, tokens, circuit breakers and limits, for the last ten
/// minutes.
///
/// ```swift
/// try GatewayDashboard.start(&configuration)
/// let engine = try configuration.makeEngine()
/// ```
/// It prints a link to a port of 127.0.0.1. The link has a random token: who does not know it gets nothing, not even another
/// user of the machine. The page shows no token, key, subject, path, query, header field or body.
///
/// The page is made for up to 8 viewers. Without one, a call takes less time for it than for its metrics, and allocates nothing.
public final class GatewayDashboard: Sendable {
    /// Where the page is served.
    public enum Address: Hashable, Sendable {
        /// A port of 127.0.0.1; 0 for any free one.
        case loopback(port: UInt16)
        /// A Unix domain socket that only the user of the process can connect to (mode 0600).
        case unixSocket(path: String)
    }

    /// How the page is served.
    public struct Options: Sendable {
        /// The address. Default: any free port of 127.0.0.1.
        public var address = Address.loopback(port: 0)
        /// Whether `/metrics` answers, without a token, in the formats of Prometheus. Every user of the machine can read it.
        /// Default: `false`.
        public var servesMetrics = false
        /// Names that requests may have in `Host` besides those of this machine, with or without a port, such as that of a
        /// proxy. There are no wildcards. Default: none.
        public var hosts: [String] = []
        /// Whether the link is printed to standard error. It is a credential. Default: `true`.
        public var printsLink = true

        /// The defaults.
        public init() {}
    }

    /// The dashboards that were started and not stopped.
    private static let running = Locked<[ObjectIdentifier: GatewayDashboard]>([:])

    private let listener: HTTPListener
    private let source: FrameSource
    private let token: Secret
    private let isStopped = Locked(false)

    /// Starts to serve the page, and adds it to the receivers of the events of a configuration: call it before the engine is
    /// made. Engines that are made of the configuration are shown together.
    ///
    /// The page is served until ``stop()``, also if the result is not kept.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured` if the address or an entry of
    ///   `hosts` cannot be used.
    @discardableResult
    public static func start(
        _ configuration: inout GatewayConfiguration, options: Options = Options()
    ) throws(NetworkError) -> GatewayDashboard {
        let events = configuration.events
        let metrics = events?.allReceivers.lazy.compactMap { $0 as? RequestMetricsCollector }.first
        let collector = DashboardCollector(metrics: metrics, clock: configuration.clock)
        let dashboard = try GatewayDashboard(collector, options, random: SystemRandomSource())
        running.withLock { $0[ObjectIdentifier(dashboard)] = dashboard }
        configuration.events = EventFork.joining(events, collector)
        if options.printsLink {
            try? FileBytes.writeAllToPipe(Array("Dashboard: \(dashboard.link)\n".utf8)[...], 2)
        }
        return dashboard
    }

    init(
        _ collector: DashboardCollector, _ options: Options, random: any RandomSource,
        page: String = DashboardPage.html
    ) throws(NetworkError) {
        token = Secret(random.hexadecimal(words: 2))
        let source = FrameSource(collector)
        self.source = source
        let server = DashboardServer(
            try RequestCheck(token: token, servesMetrics: options.servesMetrics, hosts: options.hosts),
            page: ServedPage(page), source: source)
        var configuration = HTTPListener.Configuration(addresses: [options.address.listenerAddress])
        // A request for the page has no content.
        configuration.maximumRequestBytes = 0
        configuration.replacesConnections = true
        // A viewer that stalls has few old frames to read.
        configuration.sendBufferBytes = 16 << 10
        configuration.clock = collector.clock
        do throws(HTTPListener.StartError) {
            listener = try HTTPListener(configuration) { server.disposition(for: $0) }
        } catch {
            throw NetworkError(.misconfigured, "The dashboard cannot be served: \(error.message)")
        }
    }

    deinit { stop() }

    /// The link to the page. It has the token, so that it is a credential. That of a Unix domain socket names `localhost`:
    /// a browser gets there by a port that is forwarded to the socket, and `gateway watch` by `--socket`.
    public var link: String {
        let place =
            if case .loopback(let port) = listener.addresses.first { "127.0.0.1:\(port)" } else {
                "localhost"
            }
        return "http://\(place)/\(token.exposed)/"
    }

    /// The number of streams that are open.
    var viewerCount: Int { source.viewerCount }

    /// Stops serving the page. Events are still counted. Further calls have no effect.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        source.stop()
        listener.stop()
        _ = Self.running.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    }
}

extension GatewayDashboard: Redacted {}
extension GatewayDashboard.Options: Redacted {}

extension GatewayDashboard.Address {
    fileprivate var listenerAddress: HTTPListener.Address {
        switch self {
        case .loopback(let port): .loopback(port: port)
        case .unixSocket(let path): .unix(path: path)
        }
    }
}
