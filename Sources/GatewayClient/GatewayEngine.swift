public import GatewayAuth
public import GatewayCore
internal import GatewayCurl
internal import GatewayResilience

/// The whole house in one engine: entry, authentication, coalescing, retries, and libcurl below.
///
/// ```swift
/// let engine = GatewayConfiguration().makeEngine()
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// Token requests go over a transport of their own, so that they need no connection that calls hold.
///
/// An engine has nothing to shut down: its connections are closed when nobody holds it any more. A refresh that is under
/// way holds the transport of its token requests itself, and ends as it would with the engine. A program that ends
/// awaits ``GatewayAuth/TokenRefreshCoordinator/waitUntilStored(_:deadline:)`` first. Where a transport of yours is shut
/// down during a token request that spends a refresh token, callers get the code `tokenOutcomeUnknown`.
public struct GatewayEngine: RequestEngine, TokenTransportProviding, ClientCertificateShowing {
    private let outermost: any RequestEngine
    private let transport: any Transport
    /// Makes the exchanges with token endpoints: nothing authenticates or repeats them.
    public let tokenTransport: any Transport
    /// Whether ``GatewayConfiguration/transport`` has a client certificate, or the transport says that it has one.
    public let showsClientCertificate: Bool

    /// Makes an engine with connections of its own.
    public init(configuration: GatewayConfiguration = GatewayConfiguration()) {
        var transport = configuration.transport
        transport.plainHTTP = configuration.plainHTTP
        self.init(
            transport: CurlTransport(configuration: transport),
            tokenTransport: configuration.tokenTransport ?? TokenTransport(configuration: transport),
            configuration: configuration)
    }

    /// Makes an engine over transports of your own.
    ///
    /// - Parameters:
    ///   - transport: makes the exchanges of calls.
    ///   - tokenTransport: makes the exchanges with token endpoints.
    ///   - configuration: everything but `transport`.
    public init(
        transport: any Transport, tokenTransport: any Transport,
        configuration: GatewayConfiguration = GatewayConfiguration()
    ) {
        var resilience = AsyncRequestEngine.Configuration()
        resilience.retry = configuration.retry
        resilience.redirects = configuration.redirects
        resilience.strictTransport = configuration.strictTransport
        resilience.coalesces = configuration.coalesces
        resilience.admission = configuration.admission
        resilience.deadline = configuration.deadline
        resilience.clock = configuration.clock
        resilience.random = configuration.random
        let engine = AsyncRequestEngine(
            transport: transport, configuration: resilience, isEntrance: false
        ).outermost
        let authenticated =
            if let authentication = configuration.authentication {
                AuthenticatedRequestEngine(
                    below: engine, coordinator: authentication.coordinator, scope: authentication.scope,
                    plainHTTP: configuration.plainHTTP, clock: configuration.clock)
            } else {
                AuthenticatedRequestEngine(
                    below: engine, plainHTTP: configuration.plainHTTP, clock: configuration.clock)
            }
        let entry = CallEntryEngine(
            below: authenticated, deadline: configuration.deadline, events: configuration.events,
            operations: configuration.operations, clock: configuration.clock)
        // Above everything that looks at the origin, authentication too.
        outermost =
            if let store = configuration.strictTransport {
                StrictTransportEngine(below: entry, store: store)
            } else {
                entry
            }
        self.transport = transport
        self.tokenTransport = tokenTransport
        if let events = configuration.events { (tokenTransport as? TokenTransport)?.report(to: events) }
        showsClientCertificate =
            configuration.transport.clientCertificate != nil
            || (transport as? any ClientCertificateShowing)?.showsClientCertificate ?? false
    }

    /// The clock of the configuration.
    public var clock: any GatewayClock { outermost.clock }

    /// The hosts of the configuration that credentials may be sent to over plain HTTP.
    public var plainHTTP: PlainHTTPHosts { outermost.plainHTTP }

    /// The options of the configuration, by operation.
    public var operationOptions: OperationOptions { outermost.operationOptions }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try await outermost.send(request, context: consume context)
    }

    /// The connections and waiting requests of the transport of calls, at this moment.
    public func statistics() async -> TransportStatistics { await transport.statistics() }

    /// Closes idle connections, as after a change of the network.
    public func dropIdleConnections() {
        transport.dropIdleConnections()
        tokenTransport.dropIdleConnections()
    }
}
