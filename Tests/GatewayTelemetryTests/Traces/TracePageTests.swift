import Foundation
import GatewayClient
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// The documentation page on traces.
@Suite struct TracePageTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL
    private static let page = root.appending(path: "Sources/GatewayClient/GatewayClient.docc/Traces.md")

    /// With `GATEWAY_WRITE_PAGES` set the picture is written, else it is compared.
    @Test func theTraceOfAReplayIsDrawn() async throws {
        let recorder = SpanRecorder()
        let engine = try await Self.signedIn(recorder)
        let tokens = recorder.spans.count
        let operation = Operation("readBook", method: .get, template: "/books/{id}")
        let request = try HTTPRequest(.get, "https://api.example.com/books/7?lang=en")
        #expect(try await engine.send(request, operation: operation).status == 200)
        let picture = TracePicture(Array(recorder.spans.dropFirst(tokens))).lines.joined(separator: "\n")
        let (start, end) = ("<!-- trace -->\n```text\n", "```\n<!-- end of trace -->")
        var page = try String(contentsOf: Self.page, encoding: .utf8)
        let first = try #require(page.range(of: start))
        let last = try #require(page.range(of: end))
        if ProcessInfo.processInfo.environment["GATEWAY_WRITE_PAGES"] != nil {
            page.replaceSubrange(first.upperBound..<last.lowerBound, with: picture + "\n")
            try page.write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(page[first.upperBound..<last.lowerBound] == picture + "\n")
        }
    }

    /// An engine whose token the server will reject once. The API takes 30 ms, a token request 80 ms.
    private static func signedIn(_ recorder: SpanRecorder) async throws -> GatewayEngine {
        let clock = recorder.clock
        let api = ScriptedTransport { _, index in
            clock.advance(by: .milliseconds(30))
            return index == 1 ? .status(401, fields: ["WWW-Authenticate": "Bearer"]) : .status(200)
        }
        let server = ScriptedTransport { _, index in
            clock.advance(by: .milliseconds(80))
            return .status(
                200, fields: ["Content-Type": "application/json"],
                #"{"access_token":"token-\#(index)","token_type":"Bearer","expires_in":3600}"#)
        }
        let tokens = InstrumentedTransport(server, instrument: recorder.tracer)
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.events = recorder.tracer
        let endpoint = try TokenEndpoint(
            "https://auth.example.com/token", client: .basic(clientID: "shop", secret: Secret("s3cr3t")),
            transport: tokens, clock: clock)
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                acquirer: ClientCredentials(endpoint: endpoint), clock: clock,
                random: SeededRandomSource(seed: 1)),
            scope: CredentialScope([try Origin("https://api.example.com")]))
        let engine = GatewayEngine(transport: api, tokenTransport: tokens, configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "https://api.example.com/"))
        return engine
    }

    /// The tables have every event and every attribute.
    @Test func thePageHasEachName() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        var names = Set(try EventSamples.calls().compactMap { $0.spanEvent?.name })
        let folder = Self.root.appending(path: "Sources/GatewayTelemetry/Traces")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: #/(?:\.init|Attribute)\(\s*"([a-z_]+(?:\.[a-z_]+)+)"/#) {
                names.insert(String(match.output.1))
            }
        }
        #expect(names.count >= 30)
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
    }
}

/// Spans as a tree, with what each has.
private struct TracePicture {
    private let spans: [FinishedSpan]
    private(set) var lines: [String] = []

    init(_ spans: [FinishedSpan]) {
        self.spans = spans.sorted { $0.startNanoseconds < $1.startNanoseconds }
        let ids = Set(spans.map(\.position.spanID))
        for span in self.spans where !ids.contains(span.parentSpanID) {
            if !lines.isEmpty { lines.append("") }
            draw(span, "", "")
        }
    }

    private mutating func draw(_ span: FinishedSpan, _ head: String, _ rest: String) {
        let children = spans.filter { $0.parentSpanID == span.position.spanID }
        let title = "\(span.name)  \(span.kind == .client ? "CLIENT" : "INTERNAL")"
        lines.append("\(head)\(title)  \(time(span.startNanoseconds)) to \(time(span.endNanoseconds))")
        let detail = rest + (children.isEmpty ? "     " : "│    ")
        if span.isError { lines.append(detail + "status: error") }
        for attribute in span.attributes {
            lines.append("\(detail)\(attribute.key): \(span.attribute(attribute.key) ?? "")")
        }
        for event in span.events {
            lines.append("\(detail)event \(event.name) at \(time(event.unixNanoseconds))")
        }
        for link in span.links {
            let target = spans.first { $0.position.spanID == link.spanID }
            lines.append("\(detail)link to \(target?.attribute("url.full") ?? "another trace")")
        }
        for (index, child) in children.enumerated() {
            let isLast = index == children.count - 1
            draw(child, rest + (isLast ? "└─ " : "├─ "), rest + (isLast ? "   " : "│  "))
        }
    }

    private func time(_ nanoseconds: UInt64) -> String {
        let start = spans.first?.startNanoseconds ?? 0
        return "\((nanoseconds - start) / 1_000_000) ms"
    }
}
