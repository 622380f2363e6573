public import GatewayCore

/// The engine below authentication: it coalesces equal calls, follows redirects, retries transient failures, stamps each
/// attempt with the context's credential, and applies deadlines.
///
/// ```swift
/// let engine = AsyncRequestEngine(transport: CurlTransport())
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// The layers, from the outside in. Each is optional and knows only the protocol of the layer below:
///
/// | Layer | Function |
/// |---|---|
/// | ``StrictTransportEngine`` | changes `http` to `https` for known HSTS hosts; off by default |
/// | ``CallEntryEngine`` | default deadline, events, validation before any I/O |
/// | ``CoalescingEngine`` | one flight for equal calls; above retry, so that they share its attempts |
/// | ``RedirectEngine`` | follows redirects; each hop passes the layers below with its own origin |
/// | ``CacheEngine`` | uses and stores responses, by the URI of the hop; off by default |
/// | ``RetryEngine`` | retries; waits here, without a permit of a layer below |
/// | hedging | sends a second request for reads whose response takes long (``HedgingPolicy``); off by default |
/// | ``GatewayCore/AttemptEngine`` | waits for the credential and its turn in the ``RateGate``, passes the circuit breaker, the admission control, the bulkhead and the connection slots, stamps, and sends |
/// | ``StrictTransportRecorder`` | records HSTS hosts; off by default |
public struct AsyncRequestEngine: RequestEngine {
    /// The configuration of an engine.
    public struct Configuration: Sendable {
        /// The retry policy of calls without one of their own.
        public var retry: any RetryPolicy = .standard
        /// How many retries the calls to an origin may make; `nil` for any number.
        public var retryBudget: RetryBudget? = .standard
        /// Called before each wait for a retry, with the outcome of the attempt and the delay; must not block.
        public var onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?
        /// Which redirects are followed.
        public var redirects = RedirectPolicy()
        /// Whether equal `GET` and `HEAD` calls that are in progress at the same time share one flight.
        public var coalesces = true
        /// The names of fields that equal calls may differ in, such as `X-Request-ID`. Trace fields are ignored in any case.
        public var requestIDFields: [HTTPField.Name] = []
        /// The store of HSTS hosts (RFC 6797); calls to them use `https`. `nil`, the default, disables HSTS.
        public var strictTransport: HSTSPolicyStore?
        /// The deadline of calls without one of their own; `nil` for none. Defaults to 60 s.
        public var deadline: Duration? = .seconds(60)
        /// When an operation that times out often is reported to ``events``; `nil` for never.
        public var timeoutAlert: TimeoutAlert? = .standard
        /// Holds attempts back while a server limits their rate; `nil`, the default, for not at all. It has a clock of its
        /// own.
        public var rateGate: RateGate?
        /// Guards attempts; `nil`, the default, for no circuit breakers.
        public var circuitBreakers: CircuitBreakerRegistry?
        /// How many calls may be in progress and wait; `nil`, the default, for no bulkhead.
        public var bulkhead: BulkheadPolicy?
        /// Decides when an attempt may be made; `nil`, the default, for at once. A circuit breaker is checked before, and
        /// takes its sample after. The permit of the bulkhead is taken after this one.
        public var admission: (any AdmissionControl)?
        /// Observes attempts and writes their trace fields; `nil`, the default, sends the trace contexts of calls.
        public var instrument: (any AttemptInstrument)?
        /// When a second request is sent for a read whose response takes long; `nil`, the default, for never.
        public var hedging: HedgingPolicy?
        /// Stores responses; `nil`, the default, for no cache.
        public var cache: HTTPCache?
        /// The options of calls by their operation.
        public var operations = OperationOptions()
        /// The event sink of calls whose context has none.
        public var events: (any RequestEventSink)?
        /// The clock of deadlines and delays.
        public var clock: any GatewayClock = SystemClock()
        /// The source of randomness for jitter.
        public var random: any RandomSource = FastRandomSource()

        /// The defaults.
        public init() {}

        /// Checks the values. An engine whose configuration is not valid fails each call with the same error.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the property.
        public func validate() throws(NetworkError) {
            try within("retry") { () throws(NetworkError) in try retry.validate() }
            if let retryBudget {
                try within("retryBudget") { () throws(NetworkError) in try retryBudget.validate() }
            }
            if let bulkhead {
                try within("bulkhead") { () throws(NetworkError) in try bulkhead.validate() }
            }
            if let hedging {
                try within("hedging") { () throws(NetworkError) in try hedging.validate() }
            }
            if let cache {
                try within("cache.policy") { () throws(NetworkError) in try cache.policy.validate() }
            }
            try NetworkError.require(
                deadline.map { $0 > .zero } ?? true, "deadline", "must be more than zero, or nil for none")
            if let timeoutAlert {
                try within("timeoutAlert") { () throws(NetworkError) in try timeoutAlert.validate() }
            }
            for (id, options) in operations.sorted {
                try within("operations[\"\(id)\"]") { () throws(NetworkError) in
                    if let retry = options.retry {
                        try within("retry") { () throws(NetworkError) in try retry.validate() }
                    }
                    try NetworkError.require(
                        options.deadline.map { $0 > .zero } ?? true, "deadline", "must be more than zero")
                    if let limits = options.limits {
                        try within("limits") { () throws(NetworkError) in try limits.validate() }
                    }
                }
            }
        }

        private func within(
            _ property: String, _ check: () throws(NetworkError) -> Void
        ) throws(NetworkError) {
            do throws(NetworkError) { try check() } catch { throw error.within(property) }
        }

        /// What is wrong with the configuration.
        package var problem: NetworkError? {
            do throws(NetworkError) {
                try validate()
                return nil
            } catch { return error }
        }
    }

    /// The outermost layer, for engines that are built on this one.
    package let outermost: any RequestEngine
    /// Referred to by the contexts of calls.
    private let top: EngineTop?
    /// The clock and the operation options of the configuration, and its sink, which circuit breakers and the bulkhead refer
    /// to.
    public let services: EngineServices
    /// The bulkhead of the configuration.
    public let bulkhead: Bulkhead?

    /// Hedges reads, for engines that are built on this one.
    package let hedging: Hedging?

    /// What the engine has hedged so far; `nil` without ``Configuration/hedging``.
    public var hedgingStatistics: HedgingStatistics? { hedging?.statistics }

    /// Makes an engine above a transport.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        self.init(transport: transport, configuration: configuration, isEntrance: true)
    }

    /// Makes an engine above a transport.
    ///
    /// - Parameter isEntrance: whether calls enter here. Otherwise a ``CallEntryEngine`` and a ``StrictTransportEngine`` are
    ///   further up.
    package init(transport: any Transport, configuration: Configuration, isEntrance: Bool) {
        let eventOutlet = CacheSignOutSink.sink(configuration.events, removingFrom: configuration.cache)
            .map(EventOutlet.init)
        // With an impossible policy each call fails before it comes there.
        bulkhead = configuration.bulkhead.flatMap { try? Bulkhead(policy: $0, clock: configuration.clock) }
        if let eventOutlet {
            configuration.circuitBreakers?.report(to: eventOutlet)
            configuration.rateGate?.report(to: eventOutlet)
            bulkhead?.report(to: eventOutlet)
        }
        if let bulkhead { configuration.circuitBreakers?.turnAwayWaiters(in: bulkhead) }
        let strictTransport = configuration.strictTransport
        let transport =
            strictTransport.map { StrictTransportRecorder(below: transport, store: $0) } ?? transport
        let budgets = configuration.retryBudget.map(OriginRetryBudgets.init)
        let slots = transport.slots
        let admission = Self.admission(configuration, bulkhead, slots?.admission)
        let hedging = configuration.hedging.map { Hedging($0, clock: configuration.clock) }
        self.hedging = hedging
        let hops = RedirectEngine(
            below: CacheEngine(
                below: RetryEngine(
                    below: HedgingEngine(
                        below: AttemptEngine(
                            transport: slots?.transport ?? transport, admission: admission,
                            gate: configuration.rateGate, instrument: configuration.instrument),
                        hedging: hedging),
                    policy: configuration.retry, budgets: budgets, gate: configuration.rateGate,
                    onRetry: configuration.onRetry, clock: configuration.clock,
                    random: configuration.random),
                cache: configuration.cache),
            policy: configuration.redirects, strictTransport: strictTransport)
        var engine: any RequestEngine = hops
        if configuration.coalesces {
            engine = CommonLayers(
                engine:
                    CoalescingEngine(
                        below: hops, ignoring: configuration.requestIDFields, budgets: budgets,
                        admission: admission, clock: configuration.clock))
        }
        if isEntrance {
            let reentry = EngineReentry()
            var entry = CallEntryEngine(
                below: engine, deadline: configuration.deadline, events: configuration.events,
                operations: configuration.operations, timeoutAlert: configuration.timeoutAlert,
                clock: configuration.clock)
            entry.reentry = reentry
            entry.problem = configuration.problem
            engine = entry
            if let strictTransport { engine = StrictTransportEngine(below: engine, store: strictTransport) }
            let top = EngineTop(engine)
            reentry.attach(top)
            self.top = top
        } else {
            top = nil
        }
        outermost = engine
        var services = engine.services
        services.events = eventOutlet
        self.services = services
    }

    /// The admission controls of a configuration: the circuit breaker around the control of the program, the bulkhead and the
    /// slots.
    private static func admission(
        _ configuration: Configuration, _ bulkhead: Bulkhead?, _ slots: (any AdmissionControl)?
    ) -> (any AdmissionControl)? {
        let admission = AdmissionChain.joining(
            AdmissionChain.joining(configuration.admission.map(EndingAdmission.around), bulkhead), slots)
        return configuration.circuitBreakers.map { CircuitAdmission(registry: $0, inner: admission) }
            ?? admission
    }

    /// Makes the call. See ``RequestEngine/send(_:context:)``.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: consuming RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try await outermost.send(request, context: consume context)
    }
}

/// The layers that most calls pass. Their types are concrete, so that the compiler can merge them into one function with
/// one async frame.
private struct CommonLayers: RequestEngine {
    typealias Hops = RedirectEngine<CacheEngine<RetryEngine<HedgingEngine<AttemptEngine>>>>

    let engine: CoalescingEngine<Hops>

    var services: EngineServices { engine.services }

    @inline(__always)
    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try await engine.send(request, context: context)
    }
}
