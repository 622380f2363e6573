public import GatewayCore

/// The engine below authentication: it coalesces equal calls, sends again what failed in passing, stamps each
/// attempt with the context's credential, and keeps every call within its deadline.
///
/// ```swift
/// let engine = AsyncRequestEngine(transport: CurlTransport())
/// let response = try await engine.send(try HTTPRequest(.get, "https://api.example.com/books"))
/// ```
/// The layers, from the outside in; each is optional and knows only the protocol below it:
///
/// | Layer | Does |
/// |---|---|
/// | ``StrictTransportEngine`` | turns `http` to `https` for hosts that want it; off by default |
/// | ``CallEntryEngine`` | default deadline, events, checks before any I/O |
/// | ``CoalescingEngine`` | one flight for equal calls, above retry, so that they share one retry loop |
/// | ``RedirectEngine`` | follows redirects; each hop passes all below with its own origin |
/// | ``RetryEngine`` | sends again; sleeps here, holding nothing |
/// | ``CredentialReadyEngine`` | waits for a credential, holding nothing |
/// | ``CredentialStampEngine`` | stamps the attempt at the last moment, then hands it to the transport |
/// | ``StrictTransportRecorder`` | learns which hosts want `https` alone; off by default |
public struct AsyncRequestEngine: RequestEngine {
    /// How an engine behaves.
    public struct Configuration: Sendable {
        /// When to send again, where a call says nothing else.
        public var retry: any RetryPolicy = .standard
        /// Which redirects are followed.
        public var redirects = RedirectPolicy()
        /// Whether equal `GET` and `HEAD` calls share one flight.
        public var coalesces = true
        /// Remembers the hosts that want to be called over TLS alone (HSTS, RFC 6797), and sends calls there to
        /// `https`. `nil` heeds none: what a service calls it names by `https` itself.
        public var strictTransport: HSTSPolicyStore?
        /// How long a call may take that says nothing else; `nil` for as long as it likes. A minute is what
        /// callers of services commonly wait at most.
        public var deadline: Duration? = .seconds(60)
        /// Who hears of what happens, where a context names nobody.
        public var events: (any RequestEventSink)?
        /// Where time comes from.
        public var clock: any GatewayClock = SystemClock()
        /// Where jitter comes from.
        public var random: any RandomSource = FastRandomSource()

        /// The defaults.
        public init() {}
    }

    /// The layers themselves, for who builds on them.
    package let outermost: any RequestEngine

    /// Puts the layers over a transport.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        self.init(transport: transport, configuration: configuration, isEntrance: true)
    }

    /// Puts the layers over a transport.
    ///
    /// - Parameter isEntrance: whether calls enter here; otherwise a ``CallEntryEngine`` and a
    ///   ``StrictTransportEngine`` stand further up.
    package init(transport: any Transport, configuration: Configuration, isEntrance: Bool) {
        let strictTransport = configuration.strictTransport
        let transport =
            strictTransport.map { StrictTransportRecorder(below: transport, store: $0) } ?? transport
        let hops = RedirectEngine(
            below: RetryEngine(
                below: CredentialReadyEngine(below: CredentialStampEngine(transport: transport)),
                policy: configuration.retry, clock: configuration.clock, random: configuration.random),
            policy: configuration.redirects, strictTransport: strictTransport)
        var engine: any RequestEngine = hops
        if configuration.coalesces {
            engine = CommonLayers(engine: CoalescingEngine(below: hops, clock: configuration.clock))
        }
        if isEntrance {
            engine = CallEntryEngine(
                below: engine, deadline: configuration.deadline, events: configuration.events,
                clock: configuration.clock)
            if let strictTransport { engine = StrictTransportEngine(below: engine, store: strictTransport) }
        }
        outermost = engine
    }

    /// The clock of the configuration.
    public var clock: any GatewayClock { outermost.clock }

    /// Makes the call. See ``RequestEngine/send(_:context:)``.
    @inline(__always)
    public func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try await outermost.send(request, context: context)
    }
}

/// The layers that most calls go through. Their types are known here, so that the compiler makes one function of them,
/// and a call that waits carries one frame.
private struct CommonLayers: RequestEngine {
    typealias Hops = RedirectEngine<RetryEngine<CredentialReadyEngine<CredentialStampEngine>>>

    let engine: CoalescingEngine<Hops>

    var clock: any GatewayClock { engine.clock }

    @inline(__always)
    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        try await engine.send(request, context: context)
    }
}
