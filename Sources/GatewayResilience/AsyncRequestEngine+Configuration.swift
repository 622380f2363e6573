public import GatewayCore

extension AsyncRequestEngine {
    /// How an engine behaves. The defaults serve from service to service.
    ///
    /// ```swift
    /// var configuration = AsyncRequestEngine.Configuration()
    /// configuration.retry.policy = .attempts(4)
    /// configuration.protection.bulkhead = .server
    /// let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
    /// ```
    public struct Configuration: Sendable {
        /// Repeats failed attempts.
        public struct Retry: Sendable {
            /// The retry policy of calls without one of their own.
            public var policy: any RetryPolicy = .standard
            /// How many retries the calls to an origin may make; `nil` for any number.
            public var budget: RetryBudget? = .standard
            /// Called before each wait for a retry, with the outcome of the attempt and the delay; must not block.
            /// ``Configuration/events`` receives the same as
            /// ``GatewayCore/RequestEvent/Kind/retryScheduled(delay:status:error:)``, with the call's ID.
            public var onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?

            /// The defaults.
            public init() {}
        }

        /// Lets equal `GET` and `HEAD` calls that are in progress at the same time share one response.
        public struct Coalescing: Sendable {
            /// The names of fields that equal calls may differ in, such as `X-Request-ID`. Trace fields may differ in
            /// any case.
            public var ignoredFields: [HTTPField.Name] = []

            /// The defaults.
            public init() {}
        }

        /// Decides whether and when attempts are made. All of it is off by default: a program has to handle the codes
        /// `rateLimited`, `circuitOpen` and `overloaded` before it uses what fails with them.
        ///
        /// A gate and a registry may be shared by several engines; they have a clock of their own, and validate their
        /// policies when they are made.
        public struct Protection: Sendable {
            /// Holds attempts back while a server limits their rate (`Retry-After`, `RateLimit`): one endpoint with
            /// `Retry-After` holds back all calls to its origin, unless the policy's scope says otherwise.
            public var rateGate: RateGate?
            /// Reject attempts while their server fails.
            public var circuitBreakers: CircuitBreakerRegistry?
            /// How many calls may be in progress and wait.
            ///
            /// With a bulkhead no call waits for a connection: the limits of connections of an engine over libcurl are
            /// raised to its limits if they are lower, and calls without a permit wait in the bulkhead.
            public var bulkhead: BulkheadPolicy?
            /// Decides when an attempt may be made. A circuit breaker is checked before, and takes its sample after.
            /// The permit of the bulkhead is taken after this one.
            public var admission: (any AdmissionControl)?
            /// When a second request is sent for a `GET` or `HEAD` whose response is slow. The call returns the first
            /// response.
            public var hedging: HedgingPolicy?

            /// No protection.
            public init() {}
        }

        /// Repeats failed attempts.
        public var retry = Retry()
        /// Lets equal calls share a response; `nil` for never.
        public var coalescing: Coalescing? = Coalescing()
        /// Which redirects are followed.
        public var redirects = RedirectPolicy()
        /// Stores responses and uses them again (RFC 9111); `nil`, the default, for no cache.
        public var cache: HTTPCache?
        /// Rate gate, circuit breakers, bulkhead and hedging.
        public var protection = Protection()
        /// The store of hosts that must be called over TLS (HSTS, RFC 6797); calls to them use `https`. `nil`, the
        /// default, disables HSTS.
        public var strictTransport: HSTSPolicyStore?
        /// The hosts that credentials may be sent to over plain HTTP: for networks in which a service mesh encrypts.
        /// None by default. ``GatewayCore/StateEvent/Kind/sentOverPlainHTTP`` reports each origin once.
        public var plainHTTP = PlainHTTPHosts.none
        /// The deadline of calls without one of their own, waits and retries included; `nil` for none. Calls in
        /// ``GatewayCore/withDeadline(_:isolation:_:)`` end no later than that. 60 s.
        public var deadline: Duration? = .seconds(60)
        /// When an operation that times out often is reported to ``events``; `nil` for never.
        public var timeoutAlert: TimeoutAlert? = .standard
        /// The options of calls by their operation, for hand-written and generated calls. They apply where a call
        /// leaves an option open, before the defaults of a generated client and this configuration.
        public var operations = OperationOptions()
        /// Watches the network, such as a `ReachabilityMonitor`; `nil`, the default, for none. When the network returns
        /// or changes, idle connections and cached DNS results are dropped, exchanges on connections whose local
        /// address is gone fail, and open circuits of hosts probe immediately. The source learns the quality from the
        /// exchanges of calls. No call is refused because of it.
        ///
        /// Name it in the circuit breakers too, so that failures to connect without a network do not open them.
        public var network: (any NetworkConditionSource)?
        /// Adapts the deadlines, time limits and retries of calls to the quality of ``network``; `nil`, the default,
        /// for not at all. It has no effect without a network.
        public var networkAdaptation: NetworkAdaptation?
        /// Observes attempts and writes their trace fields; `nil`, the default, sends the trace contexts of calls
        /// (``GatewayCore/TracePropagation``).
        public var instrument: (any AttemptInstrument)?
        /// The receiver of events: of calls, of the tokens that they use, and of what belongs to no call.
        public var events: (any RequestEventSink)?
        /// The clock of deadlines and delays, and of the time limits of the transports that an engine makes. Another
        /// than ``GatewayCore/SystemClock`` is for tests: each wait of a transport costs more with it.
        public var clock: any GatewayClock = SystemClock()
        /// The source of jitter.
        public var random: any RandomSource = FastRandomSource()

        /// The defaults.
        public init() {}

        /// Validates the values. An engine with an invalid configuration fails each call with the same error.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the property.
        public func validate() throws(NetworkError) {
            try NetworkError.check("retry.policy", retry.policy.validate)
            try NetworkError.check("retry.budget", retry.budget?.validate)
            try NetworkError.check("redirects", redirects.validate)
            try NetworkError.check("cache.policy", cache?.policy.validate)
            try NetworkError.check("protection.bulkhead", protection.bulkhead?.validate)
            try NetworkError.check("protection.hedging", protection.hedging?.validate)
            try NetworkError.check("timeoutAlert", timeoutAlert?.validate)
            try NetworkError.check("networkAdaptation", networkAdaptation?.validate)
            try NetworkError.require(
                deadline.map { $0 > .zero } ?? true, "deadline", "must be more than zero, or nil for none")
            for (id, options) in operations.sorted {
                try NetworkError.check("operations[\"\(id)\"]") { () throws(NetworkError) in
                    try NetworkError.check("retry", options.retry?.validate)
                    try NetworkError.check("limits", options.limits?.validate)
                    try NetworkError.require(
                        options.deadline.map { $0 > .zero } ?? true, "deadline", "must be more than zero")
                }
            }
        }
    }
}
