public import GatewayCore

/// An authenticating gateway inside the process: a token endpoint, a bearer check, the bookshop's API, and faults on
/// demand, on free ports of 127.0.0.1.
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
/// It speaks plain HTTP/1.1, and so sees no client certificate: a client that proves itself by one, and tokens that are
/// bound to one (`x5t#S256`, RFC 8705), want a server that ends TLS itself, such as nginx or Apache.
///
/// Any number of gateways run side by side; one serves thousands of connections on a few threads. Each connection takes a
/// file descriptor, and one more in the client where that is the same process: mind the process's limit. A gateway that
/// nobody holds any more shuts itself down.
///
/// With libmicrohttpd 0.9.75 a client's half-close (`SHUT_WR`) right behind its last byte may go unnoticed: such a
/// connection stays open, and is counted as open, until the gateway shuts down.
public final class EmbeddedGateway: Sendable {
    private let server: LoopbackServer
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
        server = try LoopbackServer(
            ports: [configuration.port, configuration.tokenPort], threads: configuration.threads,
            maximumRequestBytes: configuration.maximumRequestBytes
        ) { pipeline.receive($0) }
        self.pipeline = pipeline
        origin = try Self.origin(port: server.ports[0])
        tokenOrigin = try Self.origin(port: server.ports[1])
    }

    deinit { server.stop() }

    private static let apiPath = "/v1"
    static let tokenPath = "/oauth/token"

    private static func origin(port: UInt16) throws(StartError) -> Origin {
        do { return try Origin("http://127.0.0.1:\(port)") } catch { throw StartError(error.message) }
    }

    /// Closes ports and connections and returns when the gateway's threads have ended. Requests under way get no
    /// answer. Doing it again does nothing. A route's function that calls it gets control back at once.
    public func shutdown() {
        server.stop()
        // Routes may hold the gateway, and would keep it alive for ever.
        _ = pipeline.withRoutes { routes in
            defer { routes = RouteTable() }
            return routes
        }
    }

    // MARK: Where it is

    /// Where the API is served.
    public let origin: Origin
    /// Where the token endpoint is served. All routes answer on both ports; two let one be refused alone.
    public let tokenOrigin: Origin
    /// The base URL of the bookshop's operations.
    public var apiURL: String { "\(origin)\(Self.apiPath)" }
    /// The token endpoint's URL.
    public var tokenURL: String { "\(tokenOrigin)\(Self.tokenPath)" }
    /// The first client that may ask for tokens.
    public var client: Client { configuration.clients.first ?? Client() }

    // MARK: What it saw

    /// What the gateway has counted.
    public var statistics: Statistics {
        var statistics = pipeline.ledger.statistics
        (statistics.connectionsOpened, statistics.connectionsOpen, statistics.peakConnections) =
            server.connectionCounts
        return statistics
    }

    /// The latest requests, in the order of their arrival, up to ``Configuration/journalLimit``.
    public var journal: [JournalEntry] { pipeline.ledger.journal }

    /// Counts from zero and forgets the journal. Connections are counted on.
    public func resetStatistics() { pipeline.ledger.reset() }

    // MARK: What it is told to do

    /// Adds a route, or replaces the one that has the same method and path.
    ///
    /// - Parameters:
    ///   - method: the method; `nil` for any.
    ///   - path: the path, in which a whole segment may be a `{name}`.
    ///   - access: whom it serves.
    ///   - handler: answers. It runs on one of the gateway's threads and must not block.
    public func route(
        _ method: HTTPMethod?, _ path: String, access: Access = .open,
        _ handler: @escaping @Sendable (Request) -> Reply
    ) {
        pipeline.withRoutes { $0.add(method, path, access: access, .immediate(handler)) }
    }

    /// Adds a route whose answer may take its time; meanwhile it holds no thread.
    public func route(
        _ method: HTTPMethod?, _ path: String, access: Access = .open,
        _ handler: @escaping @Sendable (Request) async -> Reply
    ) {
        pipeline.withRoutes { $0.add(method, path, access: access, .asynchronous(handler)) }
    }

    /// Lets something go wrong.
    ///
    /// - Parameters:
    ///   - fault: what.
    ///   - scope: with which requests.
    ///   - skipping: how many of them pass unharmed first.
    ///   - times: how many are hit; `nil` for no end.
    ///   - probability: how likely each is hit, from 0 to 1; the dice are ``Configuration/random``.
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

    /// Takes back all faults.
    public func removeFaults() { pipeline.controls.withFaults { $0.removeAll() } }

    /// Holds requests back from now on.
    public func hold(_ scope: Scope = .api) -> Hold {
        let hold = Hold(scope: scope)
        pipeline.controls.add(hold)
        return hold
    }

    /// One of the gateway's ports.
    public enum Port: Sendable {
        /// ``EmbeddedGateway/origin``
        case api
        /// ``EmbeddedGateway/tokenOrigin``
        case token
    }

    /// Refuses connections (the client sees ECONNREFUSED) from now on. Those that are open stay open: see
    /// ``cutConnections()``. The port stays the gateway's.
    public func refuseConnections(to port: Port) {
        try? server.setListening(false, at: port == .api ? 0 : 1)
    }

    /// Accepts connections again.
    ///
    /// - Throws: ``StartError`` where the system does not let it.
    public func acceptConnections(to port: Port) throws(StartError) {
        try server.setListening(true, at: port == .api ? 0 : 1)
    }

    /// Cuts every open connection, idle or not.
    public func cutConnections() { server.cutConnections() }
}
