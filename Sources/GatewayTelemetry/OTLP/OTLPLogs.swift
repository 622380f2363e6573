import GatewayCore

/// A line of the log, as it is sent to a collector.
struct LogRecord: Sendable {
    let entry: LogEntry
    /// When the event happened, since 1970.
    let unixTime: Duration

    /// - Parameter allowed: the fields to send.
    init(_ entry: LogEntry, at unixTime: Duration, allowed: Set<JSONLogSink.Field>) {
        var entry = entry
        if !allowed.contains(.traceID) { entry.trace = nil }
        entry.fields.removeAll { $1 == nil || !allowed.contains($0) }
        self.entry = entry
        self.unixTime = unixTime
    }

    /// The attributes: names are those of OpenTelemetry where it has one.
    var attributes: [FinishedSpan.Attribute] {
        entry.fields.flatMap { field, value -> [FinishedSpan.Attribute] in
            switch (field, value) {
            case (_, nil): []
            case (.method, .text(let text)?): Self.attributes(ofMethod: text)
            case (_, .text(let text)?): [.init(field.attributeName, text)]
            case (_, .integer(let number)?): [.init(field.attributeName, number)]
            case (_, .number(let number)?):
                [.init(field.attributeName, .number(number.isFinite ? number : 0))]
            }
        }
    }

    private static func attributes(ofMethod text: String) -> [FinishedSpan.Attribute] {
        let name = HTTPMethod(text).metricName.rawValue
        let attribute = FinishedSpan.Attribute("http.request.method", name)
        return name == text ? [attribute] : [attribute, .init("http.request.method_original", text)]
    }

    /// The event with its method, origin, status and error, for people: on one line, also if the method is none.
    var body: String {
        let shown = entry.fields.compactMap { field, value -> String? in
            switch (field, value) {
            case (.method, .text(let text)?), (.origin, .text(let text)?), (.error, .text(let text)?): text
            case (.status, .integer(let status)?): "\(status)"
            default: nil
            }
        }
        return Self.printable(([entry.event] + shown).joined(separator: " "))
    }

    /// The text without characters that begin a line, move a cursor or change the direction where it is shown.
    private static func printable(_ text: String) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: printable.append("\u{FFFD}")
            default: printable.append(scalar)
            }
        }
        return String(printable)
    }
}

extension JSONLogSink.Field {
    /// The name of the attribute.
    fileprivate var attributeName: String {
        switch self {
        case .template: "url.template"
        case .method: "http.request.method"
        case .status: "http.response.status_code"
        case .error: "error.type"
        case .callID: "gateway.call.id"
        default: "gateway." + rawValue
        }
    }
}

extension JSONLogSink.Level {
    /// `SeverityNumber`.
    fileprivate var severity: UInt64 {
        switch self {
        case .error: 17
        case .warning: 13
        case .info: 9
        case .debug: 5
        }
    }
}

extension OTLPResource {
    /// An `ExportLogsServiceRequest`.
    func request(_ records: [LogRecord]) -> OTLPMessage {
        request("resourceLogs", "scopeLogs", "logRecords", records.map(\.message))
    }
}

extension LogRecord {
    // LogRecord: time_unix_nano = 1, severity_number = 2, severity_text = 3, body = 5, attributes = 6, flags = 8, trace_id = 9,
    // span_id = 10, observed_time_unix_nano = 11, event_name = 12. AnyValue: string_value = 1.
    fileprivate var message: OTLPMessage {
        let time = OTLPMessage.Value.fixed64(unixTime.metricNanoseconds)
        var message = OTLPMessage([
            (1, "timeUnixNano", time), (2, "severityNumber", .number(entry.level.severity)),
            (3, "severityText", .text(entry.level.name)),
            (5, "body", .message(OTLPMessage([(1, "stringValue", .text(body))]))),
            (6, "attributes", .attributes(attributes)),
        ])
        if let trace = entry.trace {
            message.add(8, "flags", .fixed32(UInt32(trace.flags)))
            message.add(9, "traceId", .traceID(trace.traceIDHigh, trace.traceIDLow))
            message.add(10, "spanId", .spanID(trace.spanID))
        }
        message.add(11, "observedTimeUnixNano", time)
        message.add(12, "eventName", .text("gateway." + entry.event))
        return message
    }
}
