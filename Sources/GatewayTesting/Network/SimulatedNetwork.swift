public import GatewayCore

/// A network with configurable conditions, between an engine and its transport.
///
/// ```swift
/// let network = SimulatedNetwork(
///     over: ScriptedTransport(.status(200)), profile: .slow(latency: .milliseconds(200)),
///     clock: clock, random: SeededRandomSource(seed: 7))
/// let engine = GatewayEngine(transport: network, tokenTransport: network, configuration: configuration)
/// // … calls …
/// network.profile = .offline
/// ```
///
/// Delays use the given clock: with a ``ManualClock`` tests do not wait. Give the engine the same clock. With a seeded
/// source of randomness, the nth exchange has the same outcome in every run. Failures have the same codes, phases and
/// ``GatewayCore/NetworkError/mayHaveBeenSent`` as real ones.
///
/// It is also a source of the network condition: offline with ``NetworkProfile/offline`` and
/// ``NetworkProfile/totalLoss``.
public final class SimulatedNetwork: Transport, NetworkConditionSource {
    /// The limits for a call without its own limits, as in the default configuration of `CurlTransport`.
    private static let connectLimit = Duration.seconds(10)
    private static let firstByteLimit = Duration.seconds(30)

    private let transport: any Transport
    private let clock: any GatewayClock
    private let random: any RandomSource
    private let current: Locked<NetworkProfile>
    private let streams = Broadcast<NetworkCondition>(capacity: .max)

    /// Creates a network over a transport.
    ///
    /// - Parameters:
    ///   - transport: makes the exchanges.
    ///   - profile: the conditions. They can be changed later.
    ///   - clock: the clock for delays and limits. It must be the engine's clock.
    ///   - random: determines failures and delays.
    public init(
        over transport: any Transport, profile: NetworkProfile = .perfect,
        clock: any GatewayClock = SystemClock(), random: any RandomSource = FastRandomSource()
    ) {
        self.transport = transport
        self.clock = clock
        self.random = random
        current = Locked(profile)
    }

    /// The conditions. A change applies to exchanges that start later. Use ``dropIdleConnections()`` to close the
    /// connections of the transport below.
    public var profile: NetworkProfile {
        get { current.withLock { $0 } }
        set {
            let hasChanged = current.withLock { profile in
                defer { profile = newValue }
                return profile.quality != newValue.quality
            }
            if hasChanged { streams.send(NetworkCondition(quality: newValue.quality)) }
        }
    }

    // MARK: Condition

    /// The condition of the profile.
    public var condition: NetworkCondition { NetworkCondition(quality: profile.quality) }

    /// The current condition, and then each change, until the network is shut down.
    public func conditions() -> AsyncStream<NetworkCondition> { streams.stream { self.condition } }

    // MARK: Transport

    /// Makes the exchange under the conditions of the profile.
    public func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError)
        -> HTTPResponse
    {
        try await send(request, context, over: transport)
    }

    /// Whether the transport does.
    public var showsClientCertificate: Bool { transport.showsClientCertificate }

    /// Those of the transport, under the conditions of the profile.
    public var slots: TransportSlots? {
        transport.slots.map {
            TransportSlots(
                admission: $0.admission, transport: Exchanges(network: self, transport: $0.transport))
        }
    }

    /// The exchanges of requests that have a slot of the transport.
    private struct Exchanges: Transport {
        let network: SimulatedNetwork
        let transport: any Transport

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            try await network.send(request, context, over: transport)
        }
    }

    private func send(
        _ request: HTTPRequest, _ context: RequestContext, over transport: any Transport
    ) async throws(NetworkError) -> HTTPResponse {
        try request.validate()
        let exchange = SimulatedExchange(request: request, context: context, clock: clock)
        try exchange.checkBegin()
        let outcome = profile.outcome(of: request, random: random)
        let delay = max(.zero, outcome.delay).bounded
        switch outcome.failure {
        case nil:
            let response = try await transport.send(request, context: context)
            try await exchange.wait(delay, limit: context.limits?.firstByte, in: .firstByte, wasSent: true)
            return response
        case .responseLost:
            _ = try await transport.send(request, context: context)
            try await exchange.wait(delay, limit: context.limits?.firstByte, in: .firstByte, wasSent: true)
        case .responseTimeout:
            _ = try await transport.send(request, context: context)
            let limit = context.limits?.firstByte ?? Self.firstByteLimit
            try await exchange.wait(.longest, limit: limit, in: .firstByte, wasSent: true)
        case .requestLost:
            try await exchange.wait(delay, limit: context.limits?.write, in: .send, wasSent: true)
        case .connectionTimeout:
            let limit = context.limits?.connect ?? Self.connectLimit
            try await exchange.wait(.longest, limit: limit, in: .connect, wasSent: false)
        case .dnsFailure?:
            try await exchange.wait(delay, limit: context.limits?.connect, in: .resolve, wasSent: false)
        case .noConnection?, .connectionRefused?:
            try await exchange.wait(delay, limit: context.limits?.connect, in: .connect, wasSent: false)
        }
        throw exchange.error(outcome.failure ?? .noConnection)
    }

    /// Calls the transport.
    public func dropIdleConnections() { transport.dropIdleConnections() }

    /// Calls the transport, and ends the sequences of ``conditions()``.
    public func shutdown() async {
        streams.finish()
        await transport.shutdown()
    }

    /// The statistics of the transport.
    public func statistics() async -> TransportStatistics { await transport.statistics() }
}
