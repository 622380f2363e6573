public import GatewayAuth
public import GatewayCore
internal import GatewayCurl
public import GatewayResilience

/// The engine of a client: entry, authentication, coalescing, retries, and libcurl below.
///
/// ```swift
/// let engine = try GatewayConfiguration().makeEngine()
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// Token requests use a transport of their own, so that they need no connection that calls hold.
///
/// An engine closes its connections when nobody references it any more. ``shutdown(within:)`` ends its calls in an orderly
/// way. A token refresh in progress holds the transport of token requests and ends by itself. A program that ends awaits
/// ``GatewayAuth/TokenRefreshCoordinator/waitUntilStored(_:deadline:)`` first. If a transport of yours is shut down during a
/// token request that spends a refresh token, callers get the code `tokenOutcomeUnknown`.
public struct GatewayEngine: RequestEngine {
    private let outermost: any RequestEngine
    private let transport: any Transport
    private let gate = CallGate()
    /// Referred to by the contexts of calls.
    private var top: EngineTop?
    private let ending: EngineEnding
    /// The sink of all calls.
    private let events: (any RequestEventSink)?
    /// The bulkhead of the configuration, for its statistics.
    public let bulkhead: Bulkhead?
    private let hedging: Hedging?
    private let networkReaction: NetworkReaction?
    /// Makes the exchanges with token endpoints: nothing authenticates or repeats them.
    public let tokenTransport: any Transport
    /// What the configuration says, the transport of token requests, and whether the transport has a client certificate.
    public let services: EngineServices

    /// Makes an engine with connections of its own.
    ///
    /// ``GatewayConfiguration/makeEngine()`` throws if a value of the configuration is impossible; this engine fails each call
    /// with the same error.
    public init(configuration: GatewayConfiguration = GatewayConfiguration()) {
        var transport = configuration.transport
        transport.plainHTTP = configuration.plainHTTP
        transport.clock = configuration.clock
        if let bulkhead = configuration.bulkhead { transport.raiseLimits(to: bulkhead) }
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
        let resilience = configuration.resilience
        let below = AsyncRequestEngine(transport: transport, configuration: resilience, isEntrance: false)
        let engine = below.outermost
        bulkhead = below.bulkhead
        hedging = below.hedging
        let authenticated =
            if let authentication = configuration.authentication {
                AuthenticatedRequestEngine(
                    below: engine, coordinator: authentication.coordinator, scope: authentication.scope,
                    plainHTTP: configuration.plainHTTP, clock: configuration.clock)
            } else {
                AuthenticatedRequestEngine(
                    below: engine, plainHTTP: configuration.plainHTTP, clock: configuration.clock)
            }
        events = EventFork.joining(configuration.events, configuration.network?.observer)
        let reentry = EngineReentry()
        ending = reentry.ending
        var entry = CallEntryEngine(
            below: authenticated, deadline: configuration.deadline,
            events: events,
            operations: configuration.operations, timeoutAlert: configuration.timeoutAlert,
            clock: configuration.clock)
        entry.reentry = reentry
        entry.problem = resilience.problem
        if let network = configuration.network, let adaptation = configuration.networkAdaptation {
            entry.adaptation = NetworkCallAdaptation(
                adaptation, network: network, policy: configuration.retry,
                limits: configuration.transport.timeouts.limits)
        }
        // Above everything that looks at the origin, authentication too.
        outermost =
            if let store = configuration.strictTransport {
                StrictTransportEngine(below: entry, store: store)
            } else {
                entry
            }
        self.transport = transport
        self.tokenTransport = tokenTransport
        let eventOutlet = CacheSignOutSink.sink(configuration.events, removingFrom: configuration.cache)
            .map(EventOutlet.init)
        networkReaction = configuration.network.map { network in
            NetworkReaction(
                to: network, transports: [transport, tokenTransport], breakers: configuration.circuitBreakers)
        }
        if let eventOutlet {
            (configuration.network as? any EventReporting)?.report(to: eventOutlet)
            configuration.authentication?.coordinator.report(to: eventOutlet)
            configuration.circuitBreakers?.report(to: eventOutlet)
            configuration.rateGate?.report(to: eventOutlet)
            bulkhead?.report(to: eventOutlet)
        }
        if let events = configuration.events { (tokenTransport as? TokenTransport)?.report(to: events) }
        var services = outermost.services
        services.tokenTransport = tokenTransport
        services.showsClientCertificate =
            configuration.transport.clientCertificate != nil || transport.showsClientCertificate
        services.events = eventOutlet
        self.services = services
        // It has the gate, too: background calls count as calls.
        let top = EngineTop(self)
        reentry.attach(top)
        self.top = top
        // Weakly: the sink outlives the engine.
        (configuration.events as? any TransportStatisticsObserver)?.observe { [weak top] in
            guard let engine = top?.engine as? GatewayEngine else { return nil }
            return await engine.statistics()
        }
    }

    /// Makes the call. See ``GatewayCore/RequestEngine/send(_:context:)``.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard gate.enter() else { throw refused(request, context) }
        do {
            let response = try await outermost.send(request, context: consume context)
            return left(response)
        } catch {
            gate.leave()
            throw error
        }
    }

    /// Counts a call whose response is there; a stream counts until its body ends.
    @inline(never)
    private func left(_ response: HTTPResponse) -> HTTPResponse {
        guard response.isStreamed else {
            gate.leave()
            return response
        }
        var response = response
        response.body = response.body.ending(gate, status: response.status)
        return response
    }

    @inline(never)
    private func refused(_ request: HTTPRequest, _ context: RequestContext) -> NetworkError {
        let error = NetworkError(
            .closed, "The engine was shut down before the call began.", origin: request.origin)
        if !context.isEntered {
            context.recordRefusal(error, of: request.method, at: request.origin, to: events)
        }
        return error
    }

    /// Shuts the engine down: new calls fail with ``GatewayCore/NetworkError/closed``, calls in progress may end within the
    /// time, and then end with the same code, those that wait for a token, their next attempt, their turn under a rate limit,
    /// a permit or a connection too. Nothing is sent after it. Returns when none is left, or the time is over, and all
    /// connections of calls are closed.
    ///
    /// Token requests are not ended: await ``GatewayAuth/TokenRefreshCoordinator/waitUntilStored(_:deadline:)`` for them.
    ///
    /// - Parameter limit: how long calls in progress may take, streams included; zero ends them at once.
    public func shutdown(within limit: Duration) async {
        gate.close()
        let clock = services.clock
        let deadline = Deadline.after(limit, clock: clock)
        let (transport, ending) = (transport, ending)
        let alarm = Task.detached {
            do { try await clock.sleep(until: deadline.instant) } catch { return }
            ending.end()
            await transport.shutdown()
            gate.giveUp()
        }
        await gate.drained()
        alarm.cancel()
        ending.end()
        await transport.shutdown()
    }

    /// The connections and waiting requests of the transport of calls, at this moment.
    public func statistics() async -> TransportStatistics { await transport.statistics() }

    /// What the engine has hedged so far; `nil` without ``GatewayConfiguration/hedging``.
    public var hedgingStatistics: HedgingStatistics? { hedging?.statistics }

    /// Closes idle connections, as after a change of the network.
    public func dropIdleConnections() {
        transport.dropIdleConnections()
        tokenTransport.dropIdleConnections()
    }
}

extension CurlConfiguration {
    /// Raises the limits of connections to those of a bulkhead, so that no call with a permit waits for a connection.
    mutating func raiseLimits(to bulkhead: BulkheadPolicy) {
        connectionsPerOrigin = max(connectionsPerOrigin, bulkhead.highestPerOrigin)
        // Each I/O thread has a share of them.
        let (inAll, isOverflow) = bulkhead.inAll.multipliedReportingOverflow(by: min(max(1, loops), 64))
        connectionsInAll = max(connectionsInAll, isOverflow ? .max : inAll)
    }
}
