public import GatewayCore

/// The engine below authentication: it coalesces equal calls, follows redirects, retries transient failures, stamps
/// each attempt with the context's credential, and applies deadlines.
///
/// ```swift
/// let engine = AsyncRequestEngine(transport: CurlTransport())
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// The layers, from the outside in. Each is optional and knows only the protocol of the layer below:
///
/// | Layer | Function |
/// |---|---|
/// | entry | changes `http` to `https` for known HSTS hosts, default deadline, events, validation before any I/O |
/// | authentication | a layer of the module GatewayAuth; an engine of GatewayClient has one |
/// | ``CoalescingEngine`` | one flight for equal calls; above retry, so that they share its attempts |
/// | ``RedirectEngine`` | follows redirects; each hop passes the layers below with its own origin |
/// | ``CacheEngine`` | uses and stores responses, by the URI of the hop; off by default |
/// | ``RetryEngine`` | retries; waits here, without a permit of a layer below |
/// | hedging | sends a second request for reads whose response takes long (``HedgingPolicy``); off by default |
/// | ``GatewayCore/AttemptEngine`` | credential, ``RateGate``, circuit breaker, admission, bulkhead, slots;
/// sends |
/// | ``StrictTransportRecorder`` | records HSTS hosts; off by default |
///
/// An engine ends when its last reference is released. ``shutdown(within:)`` ends its calls and its parts in an orderly
/// way; ``health()`` is its state.
public final class AsyncRequestEngine: RequestEngine {
    let below: any RequestEngine
    let transport: any Transport
    /// Whether a shutdown closes the transport: it was made for this engine.
    let ownsTransport: Bool
    /// This engine, for the contexts of calls.
    let reentry: EngineReentry
    private let hedging: Hedging?
    private let networkReaction: NetworkReaction?
    /// The cache, if its store may take long.
    let cache: HTTPCache?
    /// The layers and the objects of the configuration whose state is part of the health.
    let layers: CallLayers
    let rateGate: RateGate?
    let circuitBreakers: CircuitBreakerRegistry?
    let network: (any NetworkConditionSource)?
    let deadline: Duration?
    private let strictTransport: HSTSPolicyStore?
    /// The receiver of the events of calls.
    let events: (any RequestEventSink)?
    /// Decides on the traces of calls; `nil` if they are only passed on.
    package let instrument: (any AttemptInstrument)?
    /// The error that all calls fail with: the configuration is not valid.
    package let problem: NetworkError?
    /// Adapts the limits of calls; `nil` for none.
    let adaptation: NetworkCallAdaptation?
    let timeoutRates: TimeoutRates?
    /// The services of the configuration and the transport. Circuit breakers, the bulkhead and others refer
    /// to the sink.
    public let services: EngineServices
    /// The bulkhead of the configuration, for its statistics.
    public let bulkhead: Bulkhead?

    /// Makes an engine with a transport that the caller owns: ``shutdown(within:)`` does not shut it down.
    public convenience init(transport: any Transport, configuration: Configuration = Configuration()) {
        self.init(
            transport: transport, tokenTransport: nil, configuration: configuration,
            problem: NetworkError.problem(configuration.validate), limits: nil, authenticating: { $0 })
    }

    /// Makes an engine with a layer between the entry and those below.
    ///
    /// - Parameters:
    ///   - ownsTransport: whether the transport was made for this engine, which shuts it down.
    ///   - tokenTransport: makes the exchanges with token endpoints; `nil` if they are calls of the engine.
    ///   - problem: the configuration error that all calls fail with; `nil` if the configuration is valid.
    ///   - limits: the limits of each attempt, if they are known.
    ///   - authenticating: wraps a layer in one that puts credentials on calls, or returns it unchanged.
    package init(
        transport: any Transport, ownsTransport: Bool = false, tokenTransport: (any Transport)?,
        configuration: Configuration, problem: NetworkError?, limits: AttemptLimits?,
        authenticating: (any RequestEngine) -> any RequestEngine
    ) {
        var configuration = configuration
        instrument = configuration.instrument ?? configuration.events?.instrument
        configuration.instrument = instrument
        let (clock, protection, network) = (
            configuration.clock, configuration.protection, configuration.network
        )
        self.transport = transport
        self.ownsTransport = ownsTransport
        reentry = EngineReentry(clock: clock)
        self.problem = problem
        deadline = configuration.deadline
        strictTransport = configuration.strictTransport
        events = EventFork.joining(configuration.events, network?.observer)
        timeoutRates = configuration.timeoutAlert.map { TimeoutRates($0, clock: clock) }
        adaptation = configuration.networkAdaptation.flatMap { adaptation in
            network.map {
                NetworkCallAdaptation(
                    adaptation, network: $0, policy: configuration.retry.policy, limits: limits)
            }
        }
        cache = configuration.cache.flatMap { $0.memory == nil ? $0 : nil }
        // With an invalid policy, each call fails before it gets here.
        let bulkhead = protection.bulkhead.flatMap { try? Bulkhead(policy: $0, clock: clock) }
        let hedging = protection.hedging.map { Hedging($0, clock: clock) }
        if let bulkhead { protection.circuitBreakers?.turnAwayWaiters(in: bulkhead) }
        let layers = CallLayers(configuration, transport: transport, bulkhead: bulkhead, hedging: hedging)
        (self.bulkhead, self.hedging, self.layers) = (bulkhead, hedging, layers)
        (rateGate, circuitBreakers) = (protection.rateGate, protection.circuitBreakers)
        self.network = network
        let below = authenticating(layers)
        self.below = below
        networkReaction = network.map {
            NetworkReaction(
                to: $0, transports: [transport, tokenTransport].compactMap(\.self),
                breakers: protection.circuitBreakers)
        }
        var services = layers.services
        services.operationOptions = configuration.operations
        services.tokenTransport = tokenTransport
        services.showsClientCertificate = transport.showsClientCertificate
        services.credentials = below.services.credentials
        services.events = CacheSignOutSink.sink(configuration.events, removingFrom: configuration.cache)
            .map(EventOutlet.init)
        self.services = services
        if let outlet = services.events {
            configuration.cache?.report(to: outlet)
            (network as? any EventReporting)?.report(to: outlet)
            protection.circuitBreakers?.report(to: outlet)
            protection.rateGate?.report(to: outlet)
            bulkhead?.report(to: outlet)
        }
        reentry.attach(self)
        services.parts.attach(reentry)
        // Weak, because the sink outlives the engine.
        for sink in configuration.events?.allReceivers ?? [] {
            (sink as? any TransportStatisticsObserver)?.observe { [weak self] in
                await self?.transport.statistics()
            }
            (sink as? any EngineHealthObserver)?.observe { [weak self] in await self?.health() }
        }
    }

    /// Makes the call. See ``RequestEngine/send(_:context:)``.
    ///
    /// The entry is above everything that depends on the origin. If a layer below is an engine too, its
    /// entry passes the call on unchanged.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        guard reentry.enter() else { throw closed(request, context) }
        let request = strictTransport?.upgraded(request) ?? request
        var call: ObservedCall?
        do throws(NetworkError) {
            if !context.isEntered {
                let refusal = enter(request, &context)
                call = observe(request, context)
                if let refusal { throw refusal }
            }
            return left(try await below.send(request, context: consume context), request, call)
        } catch {
            throw left(error, request, call)
        }
    }

    /// The transport of exchanges with token endpoints, which are neither authenticated nor retried.
    /// Defaults to the transport of calls.
    public var tokenTransport: any Transport { services.tokenTransport ?? transport }

    /// The current connections and waiting requests of the transport of calls.
    public func statistics() async -> TransportStatistics { await transport.statistics() }

    /// The statistics of hedging so far; `nil` without hedging.
    public var hedgingStatistics: HedgingStatistics? { hedging?.statistics }

    /// Closes idle connections, as after a change of the network.
    public func dropIdleConnections() {
        transport.dropIdleConnections()
        services.tokenTransport?.dropIdleConnections()
    }
}
