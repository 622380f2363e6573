import GatewayCore
import GatewayCurl
import GatewayResilience

/// The transport of token requests. It is started by the first of them: whoever calls without tokens does not pay
/// for it.
final class TokenTransport: Transport {
    private let configuration: CurlConfiguration
    private let started = Locked<CurlTransport?>(nil)
    private let observers = Locked<[Observer]>([])
    /// The origins that a request over plain HTTP was reported for.
    private let reportedOrigins = Locked<Set<Origin>>([])

    /// An engine that uses the transport, and its sink. Several engines may share the transport, and end before it.
    private struct Observer {
        weak var engine: AsyncRequestEngine?
        weak var sink: (any RequestEventSink)?
    }

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
        let (instruments, sinks) = observing()
        if !request.origin.isSecureOrLoopback { report(request, context, to: sinks) }
        guard !instruments.isEmpty else { return try await transport.send(request, context: context) }
        return try await InstrumentedTransport(transport, instruments: instruments)
            .send(request, context: context)
    }

    /// Reports the origins that are called over plain HTTP, each once, to the sink of an engine, and lets its instrument observe
    /// the requests, for as long as the engine exists.
    func report(to sink: (any RequestEventSink)?, of engine: AsyncRequestEngine) {
        guard sink != nil || engine.instrument != nil else { return }
        observers.withLock { $0.append(Observer(engine: engine, sink: sink)) }
    }

    /// The instruments and the sinks of the engines, each once.
    private func observing() -> ([any AttemptInstrument], [any RequestEventSink]) {
        // Released after the lock: the last reference to an engine ends it.
        let engines = observers.withLock { observers in
            observers.removeAll { $0.engine == nil }
            return observers.map { ($0.engine, $0.sink) }
        }
        var (instruments, sinks): ([any AttemptInstrument], [any RequestEventSink]) = ([], [])
        for (engine, sink) in engines {
            if let sink, !sinks.contains(where: { $0 === sink }) { sinks.append(sink) }
            guard let instrument = engine?.instrument else { continue }
            let object = instrument as AnyObject
            if !instruments.contains(where: { $0 as AnyObject === object }) { instruments.append(instrument) }
        }
        return (instruments, sinks)
    }

    private func report(_ request: HTTPRequest, _ context: RequestContext, to sinks: [any RequestEventSink]) {
        let sinks = sinks.filter { $0.interests.contains(.state) }
        guard !sinks.isEmpty, reportedOrigins.withLock({ $0.insert(request.origin).inserted }) else { return }
        for sink in sinks {
            sink.record(
                StateEvent(instant: context.clock.now, origin: request.origin, kind: .sentOverPlainHTTP))
        }
    }

    func dropIdleConnections() { started.withLock { $0 }?.dropIdleConnections() }

    func statistics() async -> TransportStatistics {
        await started.withLock { $0 }?.statistics() ?? TransportStatistics()
    }
}
