/// Observes the exchanges of a transport without an engine, such as token requests. Each is the root of a trace, unless the
/// context has one.
package struct InstrumentedTransport: Transport {
    private let below: any Transport
    private let instrument: any AttemptInstrument

    package init(_ below: any Transport, instrument: any AttemptInstrument) {
        self.below = below
        self.instrument = instrument
    }

    package func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        let span = instrument.willSend(&request, context: context)
        if let refresh = RefreshTrace.current, let parent = request.fields[.traceparent],
            let position = TraceContext(traceparent: parent)
        {
            refresh.note(position)
        }
        let sent = context.clock.now
        do {
            let response = try await below.send(request, context: context)
            instrument.didEnd(
                span, AttemptEnd(response, duration: sent.duration(to: context.clock.now)), context: context)
            return response
        } catch {
            instrument.didEnd(
                span, AttemptEnd(error, duration: sent.duration(to: context.clock.now)), context: context)
            throw error
        }
    }

    package func dropIdleConnections() { below.dropIdleConnections() }

    package func shutdown() async { await below.shutdown() }

    package func statistics() async -> TransportStatistics { await below.statistics() }

    /// None: a request that is sent takes a slot itself.
    package var slots: TransportSlots? { nil }

    package var showsClientCertificate: Bool { below.showsClientCertificate }
}
