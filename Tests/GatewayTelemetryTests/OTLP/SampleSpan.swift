import GatewayClient
import Testing

@testable import GatewayTelemetry

/// A span with everything that a span can have.
enum SampleSpan {
    static func make(_ number: UInt64) throws -> FinishedSpan {
        let position = try #require(
            TraceContext(
                traceIDHigh: 0x0AF7_6519_16CD_43DD, traceIDLow: number, spanID: number, flags: 3,
                state: "a=1,b@c=2"))
        let links = try (UInt64(1)...2).map {
            try #require(TraceContext(traceIDHigh: .max, traceIDLow: $0, spanID: .max - $0, flags: 1))
        }
        let start: UInt64 = 1_767_225_600_000_000_001
        return FinishedSpan(
            position: position, parentSpanID: number % 2, hasLocalParent: number % 2 == 1,
            name: "GET /books/{id}", kind: .client, startNanoseconds: start,
            endNanoseconds: start + number,
            attributes: [
                .init("http.request.method", "GET"), .init("server.address", "api.example.com"),
                .init("server.port", 443), .init("url.full", "https://api.example.com/books/é\u{1}\"\\"),
                .init("url.template", "/books/{id}"), .init("http.response.status_code", 503),
                .init("error.type", "503"), .init("gateway.number", -7),
                .init("gateway.duration", .milliseconds(1_500)),
            ],
            events: [
                .init(name: "gateway.dns", unixNanoseconds: start, attributes: []),
                .init(
                    name: "gateway.connect", unixNanoseconds: start + number,
                    attributes: [.init("gateway.duration", .nanoseconds(Int64(number)))]),
            ], droppedEvents: Int(number), links: links, isError: true)
    }
}
