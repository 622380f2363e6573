public import GatewayCore

extension AsyncRequestEngine {
    /// The settings of an engine. The defaults are for service-to-service calls.
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
            /// The default retry policy of calls.
            public var policy: any RetryPolicy = .standard
            /// How many retries the calls to an origin may make; `nil` for any number.
            public var budget: RetryBudget? = .standard
            /// Called before each retry delay, with the outcome of the attempt and the delay; must not
            /// block. ``Configuration/events`` receives the same as
            /// ``GatewayCore/RequestEvent/Kind/retryScheduled(delay:status:error:)``, with the call's ID.
            public var onRetry: (@Sendable (AttemptOutcome, Duration) -> Void)?

            /// The defaults.
            public init() {}
        }

        /// Lets equal `GET` and `HEAD` calls that are in progress at the same time share one response.
        public struct Coalescing: Sendable {
            /// The names of fields in which equal calls may differ, such as `X-Request-ID`. Trace fields are
            /// always ignored.
            public var ignoredFields: [HTTPField.Name] = []

            /// The defaults.
            public init() {}
        }

        /// Decides whether and when attempts are made. All of it is off by default: with a protection
        /// enabled, calls may fail with the codes `rateLimited`, `circuitOpen` and `overloaded`.
        ///
        /// A gate and a registry may be shared by several engines. They have their own clock and validate
        /// their policies at creation.
        public struct Protection: Sendable {
            /// Delays attempts while a server limits their rate (`Retry-After`, `RateLimit`). A
            /// `Retry-After` of one endpoint delays all calls to its origin, unless the policy's scope says
            /// otherwise.
            public var rateGate: RateGate?
            /// Rejects attempts while their server fails.
            public var circuitBreakers: CircuitBreakerRegistry?
            /// The limits of calls in progress and of waiting calls; `nil` for no limit.
            ///
            /// With a bulkhead, calls without a permit wait in the bulkhead, not for a connection. The
            /// connection limits of an engine that uses libcurl are raised to the limits of the bulkhead if
            /// they are lower.
            public var bulkhead: BulkheadPolicy?
            /// Decides when an attempt may be made. The circuit breaker is checked before it and takes its
            /// ticket after it. The permit of the bulkhead is taken last.
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
        /// Stores and reuses responses (RFC 9111); `nil`, the default, disables caching.
        public var cache: HTTPCache?
        /// Rate gate, circuit breakers, bulkhead and hedging.
        public var protection = Protection()
        /// The store of hosts that must be called over TLS (HSTS, RFC 6797); calls to them use `https`. `nil`, the
        /// default, disables HSTS.
        public var strictTransport: HSTSPolicyStore?
        /// The hosts to which credentials may be sent over plain HTTP, for networks in which a service mesh
        /// encrypts the traffic. Defaults to none. ``GatewayCore/StateEvent/Kind/sentOverPlainHTTP`` reports
        /// each origin once.
        public var plainHTTP = PlainHTTPHosts.none
        /// The default deadline of calls, waits and retries included; `nil` for none. Calls in
        /// ``GatewayCore/withDeadline(_:isolation:_:)`` end no later than the deadline given there. Defaults
        /// to 60 s.
        public var deadline: Duration? = .seconds(60)
        /// When repeated timeouts of an operation are reported to ``events``; `nil` disables the alert.
        public var timeoutAlert: TimeoutAlert? = .standard
        /// The options of calls by operation, for hand-written and generated calls. They apply to options
        /// that a call does not set, and take precedence over the defaults of a generated client and this
        /// configuration.
        public var operations = OperationOptions()
        /// Watches the network, such as a `ReachabilityMonitor`; `nil`, the default, for none. When the
        /// network returns or changes, idle connections and cached DNS results are dropped, exchanges on
        /// connections whose local address no longer exists fail, and open circuits of hosts probe
        /// immediately. The source estimates the quality from the exchanges of calls. No call is rejected
        /// because of it.
        ///
        /// Pass it to the circuit breakers too, so that failures to connect without a network do not open
        /// them.
        public var network: (any NetworkConditionSource)?
        /// Adapts the deadlines, time limits and retries of calls to the quality of ``network``; `nil`, the
        /// default, disables the adaptation. It has no effect without a network.
        public var networkAdaptation: NetworkAdaptation?
        /// Observes attempts and writes their trace fields; `nil`, the default, for that of ``events``
        /// (``GatewayCore/RequestEventSink/instrument``). Without any, the trace contexts of calls are sent
        /// unchanged (``GatewayCore/TracePropagation``).
        public var instrument: (any AttemptInstrument)?
        /// The receiver of events: of calls, of the tokens that they use, and of state that belongs to no
        /// call.
        public var events: (any RequestEventSink)?
        /// The clock of deadlines and delays, and of the time limits of transports that the engine creates.
        /// Use another clock than ``GatewayCore/SystemClock`` in tests only: each wait of a transport costs
        /// more with it.
        public var clock: any GatewayClock = SystemClock()
        /// The source of jitter.
        public var random: any RandomSource = FastRandomSource()

        /// The defaults.
        public init() {}

        /// Validates the values. An engine with an invalid configuration fails each call with the same error.
        ///
        /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
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
                    try options.validate()
                    try NetworkError.require(
                        options.deadline.map { $0 > .zero } ?? true, "deadline", "must be more than zero")
                }
            }
        }
    }
}
