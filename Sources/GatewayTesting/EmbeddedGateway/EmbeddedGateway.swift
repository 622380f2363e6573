public import GatewayCore
private import GatewayListener

/// An authenticating gateway inside of the process: a token endpoint, a check of access tokens, the bookshop API, and
/// faults on demand, on free ports of 127.0.0.1.
///
/// ```swift
/// let gateway = try EmbeddedGateway.start()
/// defer { gateway.shutdown() }
/// // … calls to gateway.apiURL, with tokens from gateway.tokenURL …
/// gateway.revokeCurrentTokens()
/// gateway.inject(.status(503, retryAfter: .seconds(1)), times: 5)
/// // …
/// gateway.statistics.tokenRequests["refresh_token"]
/// ```
///
/// It supports only plain HTTP/1.1, so it does not receive client certificates. To test mutual TLS and
/// certificate-bound tokens (`x5t#S256`, RFC 8705), use a server that terminates TLS, such as nginx or Apache.
///
/// Several gateways can run at the same time. One gateway serves thousands of connections on a few threads. Each
/// connection uses a file descriptor, and another one in the client if it is in the same process, so check the limit of
/// the process. A gateway shuts down when it is released.
///
/// With libmicrohttpd 0.9.75 a half-close (`SHUT_WR`) of a client immediately after its last byte may not be detected.
/// Such a connection remains open, and is counted as open, until the gateway shuts down.
public final class EmbeddedGateway: Sendable {
    private let listener: HTTPListener
    let pipeline: GatewayPipeline
    private let configuration: Configuration

    /// Starts a gateway.
    ///
    /// - Throws: ``StartError``.
    public static func start(
        _ configuration: Configuration = Configuration()
    ) throws(StartError) -> EmbeddedGateway {
        try EmbeddedGateway(configuration)
    }

    private init(_ configuration: Configuration) throws(StartError) {
        self.configuration = configuration
        let authorization = try AuthorizationServer(
            configuration: configuration, issuer: "https://auth.bookshop.example")
        let pipeline = GatewayPipeline(
            configuration: configuration, authorization: authorization, tokenPath: Self.tokenPath)
        let clientCheck = ClientCheck(
            clients: configuration.clients, realm: configuration.realm,
            assertions: authorization.assertions)
        let endpoint = TokenRoute(
            authorization: authorization, ledger: pipeline.ledger, clientCheck: clientCheck)
        let others = AuthorizationRoutes(
            authorization: authorization, clientCheck: clientCheck, tokens: endpoint)
        let shop = Bookshop(
            clock: configuration.clock, random: configuration.random, bookCount: configuration.bookCount,
            idempotencyKeyLimit: configuration.idempotencyKeyLimit)
        pipeline.withRoutes { routes in
            routes.add(.post, Self.tokenPath, access: .open, .immediate { endpoint.reply(to: $0) })
            others.add(to: &routes)
            GenericRoutes.add(to: &routes)
            shop.addRoutes(to: &routes, under: Self.apiPath)
        }
        var listening = HTTPListener.Configuration(
            addresses: [.loopback(port: configuration.port), .loopback(port: configuration.tokenPort)])
        listening.threads = configuration.threads
        listening.connectionsPerThread = 65_536
        // Tests hold clients and requests as long as they want.
        listening.idleLimit = nil
        listening.maximumRequestBytes = configuration.maximumRequestBytes
        listener = try Self.translated { () throws(HTTPListener.StartError) in
            try HTTPListener(listening) { pipeline.receive(Request($0)) }
        }
        self.pipeline = pipeline
        origin = try Self.origin(listener.addresses[0])
        tokenOrigin = try Self.origin(listener.addresses[1])
    }

    deinit { listener.stop() }

    private static let apiPath = "/v1"
    static let tokenPath = "/oauth/token"

    private static func origin(_ address: HTTPListener.Address) throws(StartError) -> Origin {
        do { return try Origin("http://\(address)") } catch { throw StartError(error.message) }
    }

    private static func translated<Result>(
        _ body: () throws(HTTPListener.StartError) -> Result
    ) throws(StartError) -> Result {
        do { return try body() } catch { throw StartError(error.message) }
    }

    /// Closes ports and connections and waits until the gateway's threads have ended. Requests in progress get no
    /// response. Further calls have no effect. If a route handler calls it, it returns immediately.
    public func shutdown() {
        listener.stop()
        // Routes may refer to the gateway and would keep it alive.
        _ = pipeline.withRoutes { routes in
            defer { routes = RouteTable() }
            return routes
        }
    }

    /// Refuses new connections, waits until the requests in progress have their responses, and shuts down, so that a
    /// program that has routes of its own ends in an orderly way.
    ///
    /// - Parameter limit: the maximum time. Requests that are in progress after it, held ones too, get no response.
    ///   Cancellation of the task ends the wait.
    public func shutdown(within limit: Duration) async {
        refuseConnections(to: .api)
        refuseConnections(to: .token)
        let deadline = Deadline.after(limit)
        while listener.requestsInProgress > 0, !deadline.hasPassed(at: .now), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
        shutdown()
    }

    // MARK: Addresses

    /// The origin of the API.
    public let origin: Origin
    /// The origin of the token endpoint. All routes are available on both ports; with two ports one of them can refuse
    /// connections.
    public let tokenOrigin: Origin
    /// The base URL of the bookshop's operations.
    public var apiURL: String { "\(origin)\(Self.apiPath)" }
    /// The token endpoint's URL.
    public var tokenURL: String { "\(tokenOrigin)\(Self.tokenPath)" }
    /// The first client.
    public var client: Client { configuration.clients.first ?? Client() }

    // MARK: Statistics

    /// The counters of the gateway.
    public var statistics: Statistics {
        var statistics = pipeline.ledger.statistics
        (statistics.connectionsOpened, statistics.connectionsOpen, statistics.peakConnections) =
            listener.connectionCounts
        return statistics
    }

    /// The newest requests in the order of arrival, at most ``Configuration/journalLimit``.
    public var journal: [JournalEntry] { pipeline.ledger.journal }

    /// Resets the counters, except those of connections, and clears the journal.
    public func resetStatistics() { pipeline.ledger.reset() }

    // MARK: Control

    /// Adds a route, or replaces the one with the same method and path.
    ///
    /// - Parameters:
    ///   - method: the method; `nil` for any.
    ///   - path: the path. A whole segment may be a `{name}`.
    ///   - access: the required credential.
    ///   - handler: returns the response. It runs on a thread of the gateway and must not block.
    public func route(
        _ method: HTTPMethod?, _ path: String, access: Access = .open,
        _ handler: @escaping @Sendable (Request) -> Reply
    ) {
        pipeline.withRoutes { $0.add(method, path, access: access, .immediate(handler)) }
    }

    /// Adds a route with an asynchronous handler. It blocks no thread while it is suspended.
    public func route(
        _ method: HTTPMethod?, _ path: String, access: Access = .open,
        _ handler: @escaping @Sendable (Request) async -> Reply
    ) {
        pipeline.withRoutes { $0.add(method, path, access: access, .asynchronous(handler)) }
    }

    /// Injects a fault.
    ///
    /// - Parameters:
    ///   - fault: the fault.
    ///   - scope: the affected requests.
    ///   - skipping: the number of requests in the scope that are not affected first.
    ///   - times: the maximum number of affected requests; `nil` for no limit.
    ///   - probability: the probability for each request, from 0 to 1, with ``Configuration/random``.
    @discardableResult
    public func inject(
        _ fault: Fault, into scope: Scope = .api, skipping: Int = 0, times: Int? = nil,
        probability: Double = 1
    ) -> InjectedFault {
        let id = pipeline.controls.withFaults {
            $0.add(fault, scope: scope, skipping: skipping, times: times, probability: probability)
        }
        return InjectedFault(controls: pipeline.controls, id: id)
    }

    /// Removes all faults.
    public func removeFaults() { pipeline.controls.withFaults { $0.removeAll() } }

    /// Holds requests from now on until they are released.
    public func hold(_ scope: Scope = .api) -> Hold {
        let hold = Hold(scope: scope)
        pipeline.controls.add(hold)
        return hold
    }

    /// One of the gateway's ports.
    public enum Port: Sendable {
        /// The port of ``EmbeddedGateway/origin``.
        case api
        /// The port of ``EmbeddedGateway/tokenOrigin``.
        case token
    }

    /// Refuses new connections from now on (the client gets ECONNREFUSED). Open connections remain open; see
    /// ``cutConnections()``. The port remains reserved for the gateway.
    public func refuseConnections(to port: Port) {
        try? listener.setListening(false, at: port == .api ? 0 : 1)
    }

    /// Accepts connections again.
    ///
    /// - Throws: ``StartError`` if the system does not allow it.
    public func acceptConnections(to port: Port) throws(StartError) {
        try Self.translated { () throws(HTTPListener.StartError) in
            try listener.setListening(true, at: port == .api ? 0 : 1)
        }
    }

    /// Closes all open connections, idle or not.
    public func cutConnections() { listener.cutConnections() }
}
