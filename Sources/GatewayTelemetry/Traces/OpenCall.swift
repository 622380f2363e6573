import GatewayCore

/// A call in progress whose trace is sampled.
struct OpenCall: Sendable {
    struct Event: Sendable {
        let name: String
        let time: MonotonicTime
        let attributes: [FinishedSpan.Attribute]
    }

    /// The exchanges that have not ended: the number of the attempt and the ID of the span.
    struct Exchange: Sendable {
        let number: Int
        let spanID: UInt64
    }

    /// The call's own span, or the caller's.
    let trace: TraceContext
    let operation: Operation?
    let origin: Origin
    /// The number of exchanges that were sent or are about to be.
    private(set) var sentCount = 0
    private(set) var exchanges: [Exchange] = []
    /// The exchange of another call that brought the outcome.
    private var joined: TraceContext?
    /// The token requests that the call has waited for since its last exchange began.
    private var waited: [TraceContext] = []
    private var events: [Event] = []
    private var droppedEvents = 0

    init(_ event: borrowing RequestEvent, _ trace: TraceContext) {
        self.trace = trace
        operation = event.operation
        origin = event.origin
    }

    // MARK: Exchanges

    /// An exchange begins.
    ///
    /// - Returns: the number of exchanges before it, and the token requests that the call has waited for.
    mutating func begin(_ exchange: Exchange) -> (resendCount: Int, links: [TraceContext]) {
        defer {
            sentCount += 1
            waited = []
            exchanges.append(exchange)
        }
        return (sentCount, waited)
    }

    /// An exchange has ended.
    ///
    /// - Parameter wasSent: otherwise it is no exchange, and its links go to the next one.
    mutating func end(_ exchange: OpenExchange, wasSent: Bool) {
        exchanges.removeAll { $0.spanID == exchange.position.spanID }
        guard !wasSent else { return }
        sentCount -= 1
        waited = exchange.links + waited
    }

    /// The call was answered by the exchange of another call.
    mutating func join(_ exchange: TraceContext) { joined = exchange }

    /// The call waits for a token that this request brings.
    mutating func wait(for request: TraceContext) {
        if waited.count < FinishedSpan.linkLimit - 1, !waited.contains(request) { waited.append(request) }
    }

    mutating func add(_ event: Event) {
        if events.count < FinishedSpan.eventLimit { events.append(event) } else { droppedEvents += 1 }
    }

    // MARK: The end

    /// Whether the call has a span: if it has no caller's span, if nothing was sent, if the last wait for a token was followed
    /// by no exchange, which would have the link, or by option.
    var hasSpan: Bool { trace.parentSpanID != nil || sentCount == 0 || !waited.isEmpty }

    /// The span.
    ///
    /// - Parameters:
    ///   - details: further attributes.
    ///   - spanID: its ID, unless the call has one already.
    func finished(
        _ outcome: CallSeriesKey.Outcome, attempts: Int, details: [FinishedSpan.Attribute], spanID: UInt64,
        time: SpanTime
    ) -> FinishedSpan {
        var attributes: [FinishedSpan.Attribute] = [
            .init("server.address", origin.spanHost), .init("server.port", Int(origin.port)),
            .init("gateway.attempts", attempts),
        ]
        if let operation { attributes.append(.init("gateway.operation", operation.id)) }
        let error: String? =
            switch outcome {
            case .status(let status): status >= 400 ? "\(status)" : nil
            case .error(let name, _): name
            case .cancelled: nil
            }
        if let error { attributes.append(.init("error.type", error)) }
        attributes += details
        return FinishedSpan(
            position: trace.parentSpanID == nil ? trace.at(spanID: spanID) ?? trace : trace,
            parentSpanID: trace.parentSpanID ?? trace.spanID, hasLocalParent: false, name: "gateway.call",
            kind: .internal, startNanoseconds: time.start, endNanoseconds: time.end, attributes: attributes,
            events: events.map {
                FinishedSpan.Event(
                    name: $0.name, unixNanoseconds: time.unixNanoseconds(of: $0.time),
                    attributes: $0.attributes)
            }, droppedEvents: droppedEvents, links: (joined.map { [$0] } ?? []) + waited,
            isError: error != nil)
    }
}
