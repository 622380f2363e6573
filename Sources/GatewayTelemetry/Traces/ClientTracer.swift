public import GatewayCore

/// Records calls as spans of distributed traces (OpenTelemetry, HTTP client spans 1.44).
///
/// - Each exchange on the wire is a span of the kind CLIENT, token requests included. A streamed response ends its span with
///   its header fields.
/// - A call without a span of its caller, one that sends nothing, and one that ends while it waits for a token, is a span `gateway.call` of the kind INTERNAL.
/// - A call that shared the exchange of an equal one has a link to it; an exchange whose call waited for a token has a link to
///   the token request.
///
/// It is the sink and the instrument of an engine. A call whose trace is not recorded costs its header field alone.
public final class ClientTracer: RequestEventSink {
    struct State {
        var calls: [UInt64: OpenCall] = [:]
        /// By the IDs of their spans.
        var exchanges: [UInt64: OpenExchange] = [:]
    }

    /// The events that spans are made of.
    public let interests: EventInterests
    let options: Options
    let url: SpanURL
    let clock: any GatewayClock
    let random: any RandomSource
    let receive: @Sendable (FinishedSpan) -> Void
    /// Sends the spans; `nil` if something else takes them.
    let exporter: OTLPExporter?
    let state = Locked(State())

    /// - Parameters:
    ///   - exporter: sends the spans; `nil` if something else does.
    ///   - clock: the clock of the engine.
    ///   - random: the source of IDs.
    ///   - receive: takes a span that has ended. Must not block.
    init(
        flushing exporter: OTLPExporter? = nil, options: Options = Options(),
        clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource(), receive: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        // Transports determine the connection only for attempts that are observed.
        let phases: EventInterests = options.recordsPhases ? [.exchanges, .headTimings] : []
        interests = phases.union([.calls, .attempts, .tokens])
        self.options = options
        url = SpanURL(showsPath: options.showsPath, shownNames: options.shownQueryItems)
        self.clock = clock
        self.random = random
        self.receive = receive
        self.exporter = exporter
    }

    /// Makes a tracer whose spans are sent to a collector.
    ///
    /// - Parameters:
    ///   - exporter: sends the spans.
    ///   - options: what is recorded.
    ///   - clock: the clock of the engine.
    ///   - random: the source of IDs.
    public convenience init(
        exporter: OTLPExporter, options: Options = Options(), clock: any GatewayClock = SystemClock(),
        random: any RandomSource = FastRandomSource()
    ) {
        self.init(flushing: exporter, options: options, clock: clock, random: random) { exporter.add($0) }
    }

    /// Returns when the collector has answered, or after the exporter's ``OTLPConfiguration/exportTimeout``.
    public func flush() async { await exporter?.flush(until: nil) }

    /// The tracer itself.
    public var instrument: (any AttemptInstrument)? { self }

    /// The position of a call.
    ///
    /// - Parameter caller: the position of its caller; `nil` if it begins a trace.
    func position(after caller: TraceContext?) -> TraceContext {
        guard let caller else {
            return .root(random: random) { options.sampler.isSampled(parent: nil, traceIDLow: $0) }
        }
        let isSampled = options.sampler.isSampled(parent: caller, traceIDLow: caller.traceIDLow)
        let isOwn = options.recordsEveryCall
        return caller.at(
            spanID: isOwn ? nextSpanID() : caller.spanID, isSampled: isSampled,
            parentSpanID: isOwn ? caller.spanID : nil)
    }

    func nextSpanID() -> UInt64 { max(1, random.next()) }
}
