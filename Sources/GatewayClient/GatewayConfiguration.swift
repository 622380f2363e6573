public import GatewayAuth
public import GatewayCore
public import GatewayCurl
public import GatewayResilience

/// How a ``GatewayEngine`` behaves. The defaults serve from service to service.
///
/// ```swift
/// var configuration = GatewayConfiguration()
/// configuration.transport.timeouts = .server
/// configuration.retry = .attempts(4)
/// let engine = try configuration.makeEngine()
/// ```
public struct GatewayConfiguration: Sendable {
    /// Whose tokens calls carry that name no credential of their own: which coordinator keeps them, and which
    /// origins get which.
    public struct Authentication: Sendable {
        /// Keeps the tokens.
        public var coordinator: TokenRefreshCoordinator
        /// Which origins get which token.
        public var scope: CredentialScope

        /// Puts the two together.
        public init(coordinator: TokenRefreshCoordinator, scope: CredentialScope) {
            self.coordinator = coordinator
            self.scope = scope
        }
    }

    /// Connections, time limits of each attempt, TLS.
    public var transport = CurlConfiguration()
    /// The retry policy of calls without one of their own.
    public var retry: any RetryPolicy = .standard
    /// How many retries the calls to an origin may make; `nil` for any number.
    public var retryBudget: RetryBudget? = .standard
    /// Called before each wait for a retry, with the outcome of the attempt and the delay; must not block. ``events``
    /// receives the same as ``GatewayCore/RequestEvent/Kind/retryScheduled(delay:status:error:)``, with the call's ID.
    public var onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?
    /// Which redirects are followed.
    public var redirects = RedirectPolicy()
    /// The store of hosts that must be called over TLS (HSTS, RFC 6797); calls to them use `https`. `nil`, the default,
    /// disables HSTS.
    public var strictTransport: HSTSPolicyStore?
    /// The hosts that credentials may be sent to over plain HTTP: for networks in which a service mesh encrypts. None by
    /// default. ``GatewayCore/StateEvent/Kind/sentOverPlainHTTP`` reports each origin once.
    public var plainHTTP = PlainHTTPHosts.none
    /// Whether equal `GET` and `HEAD` calls that are in progress at the same time share one response.
    public var coalesces = true
    /// The deadline of calls without one of their own, waits and retries included; `nil` for none. Calls in
    /// ``GatewayCore/withDeadline(_:isolation:_:)`` end no later than that.
    public var deadline: Duration? = .seconds(60)
    /// When an operation that times out often is reported to ``events``; `nil` for never.
    public var timeoutAlert: TimeoutAlert? = .standard
    /// The options of calls by their operation, for hand-written and generated calls. They apply where a call leaves an
    /// option open, before the defaults of a generated client and this configuration.
    public var operations = OperationOptions()
    /// Holds attempts back while a server limits their rate (`Retry-After`, `RateLimit`); `nil`, the default, for not at
    /// all. A program has to handle the code `rateLimited` before it uses one: one endpoint with `Retry-After` holds
    /// back all calls to its origin, unless the policy's scope says otherwise.
    ///
    /// The gate has a clock of its own, and validates its policy when it is made.
    public var rateGate: RateGate?
    /// Reject attempts while their server fails; `nil`, the default, for no circuit breakers. A program has to handle the
    /// code `circuitOpen` before it uses them.
    ///
    /// The registry has a clock of its own, and validates its policies when it is made.
    public var circuitBreakers: CircuitBreakerRegistry?
    /// How many calls may be in progress and wait; `nil`, the default, for no bulkhead. A program has to handle the code
    /// `overloaded` before it uses one.
    ///
    /// With a bulkhead no call waits for a connection: `transport.connectionsPerOrigin` and `transport.connectionsInAll` are
    /// raised to its limits if they are lower, and calls without a permit wait in the bulkhead.
    public var bulkhead: BulkheadPolicy?
    /// Watches the network, such as a `ReachabilityMonitor`; `nil`, the default, for nothing. When the network returns or is
    /// another one, idle connections and the addresses of names are dropped, exchanges on connections from an address that is
    /// gone fail, and open circuits of hosts probe at once. The source learns the quality from the exchanges of calls. No call is refused because of it.
    ///
    /// Name it in ``circuitBreakers`` too, so that failures to connect without a network do not open them.
    public var network: (any NetworkConditionSource)?
    /// Adapts the deadlines, time limits and retries of calls to the quality of ``network``; `nil`, the default, for not at all. It has no
    /// effect without a network.
    public var networkAdaptation: NetworkAdaptation?
    /// Decides when an attempt may be made; `nil`, the default, for at once. The permit of the bulkhead is taken after it.
    public var admission: (any AdmissionControl)?
    /// When a second request is sent for a `GET` or `HEAD` whose response takes long; `nil`, the default, for never. The first
    /// response is that of the call.
    public var hedging: HedgingPolicy?
    /// Stores responses and uses them again (RFC 9111); `nil`, the default, for no cache. See <doc:Caching>.
    public var cache: HTTPCache?
    /// Observes attempts and writes their trace fields; `nil`, the default, sends the trace contexts of calls
    /// (``GatewayCore/TracePropagation``).
    public var instrument: (any AttemptInstrument)?
    /// The names of fields that equal calls may differ in and share a response, such as `X-Request-ID`. Trace fields may
    /// differ in any case.
    public var requestIDFields: [HTTPField.Name] = []
    /// The receiver of events: of calls, of the tokens that they use, and of what belongs to no call.
    public var events: (any RequestEventSink)?
    /// Tokens for calls that name no credential of their own. Generated clients name theirs.
    public var authentication: Authentication?
    /// Makes the exchanges with token endpoints; `nil` for one over connections of its own.
    var tokenTransport: (any Transport)?
    /// The clock of deadlines and delays, and of the time limits of the transports that the engine makes. Another than
    /// ``GatewayCore/SystemClock`` is for tests: each wait of a transport costs more with it.
    public var clock: any GatewayClock = SystemClock()
    /// The source of jitter.
    public var random: any RandomSource = FastRandomSource()

    /// The defaults.
    public init() {}

    /// Checks the values, as ``makeEngine()`` does.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the property.
    public func validate() throws(NetworkError) {
        try transport.validate()
        do throws(NetworkError) { try transport.timeouts.validate() } catch {
            throw error.within("transport.timeouts")
        }
        if let networkAdaptation {
            do throws(NetworkError) { try networkAdaptation.validate() } catch {
                throw error.within("networkAdaptation")
            }
        }
        try resilience.validate()
    }

    /// Makes an engine with connections of its own. Make one and share it.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured` if a value is impossible, such as a retry policy
    ///   without attempts. It names the property.
    public func makeEngine() throws(NetworkError) -> GatewayEngine {
        try validate()
        return GatewayEngine(configuration: self)
    }

    /// The configuration of the layers below authentication.
    var resilience: AsyncRequestEngine.Configuration {
        var resilience = AsyncRequestEngine.Configuration()
        resilience.retry = retry
        resilience.retryBudget = retryBudget
        resilience.onRetry = onRetry
        resilience.timeoutAlert = timeoutAlert
        resilience.redirects = redirects
        resilience.strictTransport = strictTransport
        resilience.coalesces = coalesces
        resilience.rateGate = rateGate
        resilience.circuitBreakers = circuitBreakers
        resilience.bulkhead = bulkhead
        // The wait for a permit replaces the wait for a connection.
        if bulkhead != nil, bulkhead?.longestWait == nil {
            resilience.bulkhead?.longestWait = transport.timeouts.queue
        }
        resilience.admission = admission
        resilience.hedging = hedging
        resilience.cache = cache
        resilience.instrument = instrument
        resilience.operations = operations
        resilience.requestIDFields = requestIDFields
        resilience.deadline = deadline
        resilience.clock = clock
        resilience.random = random
        return resilience
    }
}
