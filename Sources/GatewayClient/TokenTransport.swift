import GatewayCore
import GatewayCurl

/// The transport of token requests. It is started by the first of them: whoever calls without tokens does not pay
/// for it.
final class TokenTransport: Transport {
    private let configuration: CurlConfiguration
    private let started = Locked<CurlTransport?>(nil)
    private let events = Locked<(any RequestEventSink)?>(nil)
    private let instrument = Locked<(any AttemptInstrument)?>(nil)
    /// The origins that a request over plain HTTP was reported for.
    private let reportedOrigins = Locked<Set<Origin>>([])

    /// Takes timeouts and TLS from the calls' configuration; token requests are few, so a handful of connections
    /// will do.
    init(configuration: CurlConfiguration) {
        var configuration = configuration
        configuration.connectionsPerOrigin = min(4, configuration.connectionsPerOrigin)
        configuration.connectionsInAll = min(16, configuration.connectionsInAll)
        self.configuration = configuration
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let transport = started.withLock { started in
            let transport = started ?? CurlTransport(configuration: configuration)
            started = transport
            return transport
        }
        if !request.origin.isSecureOrLoopback { report(request, context) }
        guard let instrument = instrument.withLock({ $0 }) else {
            return try await transport.send(request, context: context)
        }
        return try await InstrumentedTransport(transport, instrument: instrument)
            .send(request, context: context)
    }

    /// Reports the origins that are called over plain HTTP, each once, and lets an instrument observe the requests.
    func report(to sink: (any RequestEventSink)?, _ instrument: (any AttemptInstrument)?) {
        if let sink { events.withLock { $0 = sink } }
        if let instrument { self.instrument.withLock { $0 = instrument } }
    }

    private func report(_ request: HTTPRequest, _ context: RequestContext) {
        guard let sink = events.withLock({ $0 }), sink.interests.contains(.state),
            reportedOrigins.withLock({ $0.insert(request.origin).inserted })
        else { return }
        sink.record(
            StateEvent(instant: context.clock.now, origin: request.origin, kind: .sentOverPlainHTTP))
    }

    func dropIdleConnections() { started.withLock { $0 }?.dropIdleConnections() }

    func statistics() async -> TransportStatistics {
        await started.withLock { $0 }?.statistics() ?? TransportStatistics()
    }
}
