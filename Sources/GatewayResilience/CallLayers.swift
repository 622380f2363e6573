import GatewayCore

/// The layers below the entry and authentication. Their types are concrete, so that the compiler can merge
/// them into one function with one async frame.
struct CallLayers: RequestEngine {
    typealias Hops = RedirectEngine<CacheEngine<RetryEngine<AttemptEngine>>>

    /// The clock and the hosts of the configuration.
    let services: EngineServices
    private let coalescing: CoalescingEngine<Hops>
    /// The retry budgets; `nil` for none.
    let budgets: OriginRetryBudgets?
    /// The number of calls that wait for the response of another one.
    var followerCount: Int { coalescing.followerCount }

    init(
        _ configuration: AsyncRequestEngine.Configuration, transport: any Transport, bulkhead: Bulkhead?,
        hedging: Hedging?
    ) {
        services = EngineServices(clock: configuration.clock, plainHTTP: configuration.plainHTTP)
        let (retry, protection) = (configuration.retry, configuration.protection)
        let transport: any Transport =
            configuration.strictTransport.map { StrictTransportRecorder(below: transport, store: $0) }
            ?? transport
        budgets = retry.budget.map(OriginRetryBudgets.init)
        let slots = transport.slots
        // The custom admission control, the bulkhead and the connection slots, inside the circuit breaker.
        let inner = AdmissionChain.joining(
            AdmissionChain.joining(protection.admission.map(EndingAdmission.around), bulkhead),
            slots?.admission)
        let admission: (any AdmissionControl)? =
            protection.circuitBreakers.map { CircuitAdmission(registry: $0, inner: inner) } ?? inner
        let hops = RedirectEngine(
            below: CacheEngine(
                below: RetryEngine(
                    below: AttemptEngine(
                        transport: slots?.transport ?? transport, admission: admission,
                        gate: protection.rateGate, instrument: configuration.instrument),
                    policy: retry.policy, budgets: budgets, gate: protection.rateGate, hedging: hedging,
                    onRetry: retry.onRetry, clock: configuration.clock, random: configuration.random),
                cache: configuration.cache),
            policy: configuration.redirects, strictTransport: configuration.strictTransport)
        coalescing = CoalescingEngine(
            below: hops, ignoring: configuration.coalescing?.ignoredFields, budgets: budgets,
            admission: admission, instrument: configuration.instrument, clock: configuration.clock)
    }

    @inline(__always)
    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse { try await coalescing.send(request, context: context) }
}
