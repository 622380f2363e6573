internal import GatewayAuth
public import GatewayCore
internal import GatewayCurl
public import GatewayResilience

/// The engine of a client: entry, authentication, coalescing, retries, and libcurl below. It is a
/// ``GatewayResilience/AsyncRequestEngine`` that a ``GatewayConfiguration`` makes, with authentication.
///
/// ```swift
/// let engine = try GatewayConfiguration().makeEngine()
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// Token requests use a transport of their own, so that they need no connection that calls hold.
///
/// An engine closes its connections when nobody references it any more.
/// ``GatewayResilience/AsyncRequestEngine/shutdown(within:)`` ends its calls in an orderly way, and waits until tokens are
/// stored. A token refresh in progress holds the transport of token requests and ends by itself. If a transport of yours is
/// shut down during a token request that spends a refresh token, callers get the code `tokenOutcomeUnknown`.
public typealias GatewayEngine = AsyncRequestEngine

extension AsyncRequestEngine {
    /// Makes an engine with connections of its own.
    ///
    /// ``GatewayConfiguration/makeEngine()`` throws if a value of the configuration is impossible; this engine fails each call
    /// with the same error.
    public convenience init(configuration: GatewayConfiguration = GatewayConfiguration()) {
        var transport = configuration.transport
        transport.plainHTTP = configuration.plainHTTP
        transport.clock = configuration.clock
        if let bulkhead = configuration.protection.bulkhead { transport.raiseLimits(to: bulkhead) }
        let tokenTransport = configuration.tokenTransport ?? TokenTransport(configuration: transport)
        self.init(
            CurlTransport(configuration: transport), ownsTransport: true, tokenTransport, configuration,
            problem: NetworkError.problem(configuration.validate))
        tokenTransport.report(to: configuration.events, of: self)
    }

    /// Makes an engine over transports of your own, which several engines may share. They remain yours: ``shutdown(within:)``
    /// shuts none of them down.
    ///
    /// - Parameters:
    ///   - transport: makes the exchanges of calls.
    ///   - tokenTransport: makes the exchanges with token endpoints.
    ///   - configuration: everything but `transport`, of which only the time limits are looked at
    ///     (``GatewayResilience/NetworkAdaptation``).
    public convenience init(
        transport: any Transport, tokenTransport: any Transport,
        configuration: GatewayConfiguration = GatewayConfiguration()
    ) {
        let observed = configuration.effectiveInstrument.map {
            InstrumentedTransport(tokenTransport, instrument: $0)
        }
        self.init(
            transport, ownsTransport: false, observed ?? tokenTransport, configuration,
            problem: NetworkError.problem(configuration.validateLayers))
    }

    private convenience init(
        _ transport: any Transport, ownsTransport: Bool, _ tokenTransport: any Transport,
        _ configuration: GatewayConfiguration, problem: NetworkError?
    ) {
        var (token, problem): (GatewayConfiguration.Authentication.Token?, NetworkError?) = (nil, problem)
        do throws(NetworkError) {
            token = try configuration.authentication?.token(
                transport: tokenTransport, showsCertificate: transport.showsClientCertificate,
                plainHTTP: configuration.plainHTTP)
        } catch {
            problem = problem ?? error
        }
        var layers = configuration.layers
        // The wait for a permit replaces the wait for a connection.
        if let bulkhead = layers.protection.bulkhead, bulkhead.longestWait == nil {
            layers.protection.bulkhead?.longestWait = configuration.transport.timeouts.queue
        }
        self.init(
            transport: transport, ownsTransport: ownsTransport, tokenTransport: tokenTransport,
            configuration: layers, problem: problem, limits: configuration.transport.timeouts.limits
        ) { [token] below in
            token.map {
                AuthenticatedRequestEngine(below: below, coordinator: $0.coordinator, scope: $0.scope)
            } ?? AuthenticatedRequestEngine(below: below)
        }
        if let outlet = services.events { token?.coordinator.report(to: outlet) }
        // Neither credentials nor a client certificate of calls reach the collector.
        for case let collector as any TransportRequesting in configuration.events?.allReceivers ?? [] {
            collector.use { TokenTransport(configuration: CurlConfiguration($0)) }
        }
    }
}

extension GatewayConfiguration {
    /// The instrument of the engine; `nil` for none.
    fileprivate var effectiveInstrument: (any AttemptInstrument)? {
        layers.instrument ?? layers.events?.instrument
    }
}

extension CurlConfiguration {
    /// The defaults with files for TLS.
    fileprivate init(_ files: TLSFiles) {
        self.init()
        caFile = files.trusted
        clientCertificate = files.client.map {
            ClientCertificate(certificateFile: $0.certificate, keyFile: $0.key)
        }
    }

    /// Raises the limits of connections to those of a bulkhead, so that no call with a permit waits for a connection.
    mutating func raiseLimits(to bulkhead: BulkheadPolicy) {
        connectionsPerOrigin = max(connectionsPerOrigin, bulkhead.highestPerOrigin)
        // Each I/O thread has a share of them.
        let (inAll, isOverflow) = bulkhead.inAll.multipliedReportingOverflow(by: min(max(1, loops), 64))
        connectionsInAll = max(connectionsInAll, isOverflow ? .max : inAll)
    }
}
