import GatewayCore
import GatewayJSON

/// A line of a log, before it is written.
struct LogEntry: Sendable {
    /// The value of a field.
    enum Value: Sendable {
        case text(String)
        case integer(Int)
        case number(Double)
    }

    let level: JSONLogSink.Level
    let event: String
    /// The trace and the span that it belongs to.
    var trace: TraceContext?
    /// Fields whose value is `nil` are omitted.
    var fields: [(JSONLogSink.Field, Value?)]

    init(
        _ level: JSONLogSink.Level, _ event: String, trace: TraceContext? = nil,
        _ fields: [(JSONLogSink.Field, Value?)]
    ) {
        self.level = level
        self.event = event
        self.trace = trace
        self.fields = fields
    }

    /// The line, with a line feed.
    ///
    /// - Parameters:
    ///   - unixTime: when the event happened, since 1970-01-01T00:00:00Z.
    ///   - allowed: the fields to write.
    func line(at unixTime: Duration, allowed: Set<JSONLogSink.Field>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        let all: [(JSONLogSink.Field, Value?)] =
            [
                (.time, .text(CivilDate.timestamp(max(.zero, unixTime), showsMilliseconds: true))),
                (.level, .text(level.name)), (.event, .text(event)),
                (.traceID, trace.map { .text($0.traceID) }),
                (.spanID, trace.map { .text($0.spanID.hexadecimal) }),
            ] + fields
        for case (let field, let value?) in all where allowed.contains(field) {
            writer.name(field.rawValue)
            switch value {
            case .text(let text): writer.string(text)
            case .integer(let number): writer.integer(number)
            case .number(let number): writer.double(number.isFinite ? number : 0)
            }
        }
        writer.endObject()
        let bytes = (try? writer.finished()) ?? Array("{}".utf8)
        return bytes + [UInt8(ascii: "\n")]
    }
}

extension Duration {
    /// The duration in milliseconds, truncated to thousandths; not less than zero.
    var logMilliseconds: LogEntry.Value { .number(Double(metricNanoseconds / 1_000) / 1_000) }
}
