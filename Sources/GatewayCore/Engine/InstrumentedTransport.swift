/// Observes the exchanges of a transport without an engine, such as token requests. Each is the root of a trace, unless the
/// context has one.
package struct InstrumentedTransport: Transport {
    private let below: any Transport
    private let instruments: [any AttemptInstrument]

    package init(_ below: any Transport, instrument: any AttemptInstrument) {
        self.init(below, instruments: [instrument])
    }

    /// - Parameter instruments: each has a span of an exchange, within that of the one before.
    package init(_ below: any Transport, instruments: [any AttemptInstrument]) {
        self.below = below
        self.instruments = instruments
    }

    package func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        var request = request
        let spans = begin(&request, context)
        let sent = context.clock.time
        do {
            let response = try await below.send(request, context: context)
            let duration = sent.duration(to: context.clock.time)
            for span in spans.reversed() { span.end(AttemptEnd(response, duration: duration)) }
            return response
        } catch {
            let duration = sent.duration(to: context.clock.time)
            for span in spans.reversed() { span.end(AttemptEnd(error, duration: duration)) }
            throw error
        }
    }

    /// A span of an instrument, with the context that it began in.
    private struct Span {
        let instrument: any AttemptInstrument
        let id: UInt64
        let context: RequestContext

        func end(_ end: AttemptEnd) { instrument.didEnd(id, end, context: context) }
    }

    private func begin(_ request: inout HTTPRequest, _ context: RequestContext) -> [Span] {
        var (spans, inner): ([Span], RequestContext) = ([], context)
        for instrument in instruments {
            let id = instrument.willSend(&request, context: inner)
            spans.append(Span(instrument: instrument, id: id, context: inner))
            if let parent = request.fields[.traceparent], let position = TraceContext(traceparent: parent) {
                RefreshTrace.current?.note(position)
                inner.trace = position
            }
        }
        return spans
    }

    package func dropIdleConnections() { below.dropIdleConnections() }

    package func shutdown() async { await below.shutdown() }

    package func statistics() async -> TransportStatistics { await below.statistics() }

    /// None: a request that is sent takes a slot itself.
    package var slots: TransportSlots? { nil }

    package var showsClientCertificate: Bool { below.showsClientCertificate }
}
