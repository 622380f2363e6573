import GatewayCore

extension OTLPResource {
    /// An `ExportTraceServiceRequest`.
    func request(_ spans: [FinishedSpan]) -> OTLPMessage {
        request("resourceSpans", "scopeSpans", "spans", spans.map(\.message))
    }
}

extension FinishedSpan {
    /// Set if it is known whether the parent is remote (`SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK`).
    private static let knowsParent: UInt32 = 0x100

    // Span: trace_id = 1, span_id = 2, trace_state = 3, parent_span_id = 4, name = 5, kind = 6, start_time_unix_nano = 7,
    // end_time_unix_nano = 8, attributes = 9, events = 11, dropped_events_count = 12, links = 13, status = 15, flags = 16.
    fileprivate var message: OTLPMessage {
        // Those that each span has come first: they take one allocation.
        var message = OTLPMessage([
            (1, "traceId", .traceID(position.traceIDHigh, position.traceIDLow)),
            (2, "spanId", .spanID(position.spanID)),
            (5, "name", .text(name)), (6, "kind", .number(kind.rawValue)),
            (7, "startTimeUnixNano", .fixed64(startNanoseconds)),
            (8, "endTimeUnixNano", .fixed64(endNanoseconds)), (9, "attributes", .attributes(attributes)),
            (16, "flags", .fixed32(UInt32(position.flags) | (hasLocalParent ? Self.knowsParent : 0))),
        ])
        if !position.state.isEmpty { message.add(3, "traceState", .text(position.state)) }
        if parentSpanID != 0 { message.add(4, "parentSpanId", .spanID(parentSpanID)) }
        if !events.isEmpty { message.add(11, "events", .messages(events.map(\.message))) }
        if droppedEvents > 0 {
            message.add(12, "droppedEventsCount", .number(UInt64(UInt32(clamping: droppedEvents))))
        }
        if !links.isEmpty { message.add(13, "links", .messages(links.map(\.link))) }
        // Status: code = 3; 2 is an error.
        if isError { message.add(15, "status", .message(OTLPMessage([(3, "code", .number(2))]))) }
        return message
    }
}

extension FinishedSpan.Event {
    // Event: time_unix_nano = 1, name = 2, attributes = 3.
    fileprivate var message: OTLPMessage {
        OTLPMessage([
            (1, "timeUnixNano", .fixed64(unixNanoseconds)), (2, "name", .text(name)),
            (3, "attributes", .attributes(attributes)),
        ])
    }
}

extension TraceContext {
    // Link: trace_id = 1, span_id = 2, trace_state = 3, flags = 6.
    fileprivate var link: OTLPMessage {
        var message = OTLPMessage([
            (1, "traceId", .traceID(traceIDHigh, traceIDLow)), (2, "spanId", .spanID(spanID)),
        ])
        if !state.isEmpty { message.add(3, "traceState", .text(state)) }
        message.add(6, "flags", .fixed32(UInt32(flags)))
        return message
    }
}
