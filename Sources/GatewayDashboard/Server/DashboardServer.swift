import GatewayCore
import GatewayJSON
import GatewayListener
import GatewayTelemetry

/// Answers the requests for the page, its stream, and the metrics.
final class DashboardServer: Sendable {
    private let check: RequestCheck
    private let page: ServedPage
    private let source: FrameSource

    init(_ check: RequestCheck, page: ServedPage, source: FrameSource) {
        self.check = check
        self.page = page
        self.source = source
    }

    /// The answer to a request.
    func disposition(for request: HTTPListener.Request) -> HTTPListener.Disposition {
        let resource: RequestCheck.Resource
        do throws(RequestCheck.Refusal) { resource = try check.resource(for: request) } catch {
            return .reply(Self.refusal(error.status))
        }
        let isHead = request.method == .head
        switch resource {
        case .page: return .reply(reply("text/html; charset=utf-8", page.bytes, policy: page.policy))
        case .metrics: return metrics(accepting: request.fields.values(for: .accept).first)
        case .stream:
            let reply = reply("text/event-stream", [])
            return isHead ? .reply(reply) : stream(reply)
        }
    }

    // MARK: Replies

    private static let strictPolicy = "default-src 'none'; frame-ancestors 'none'"

    private func reply(_ type: String, _ body: [UInt8], policy: String = strictPolicy) -> HTTPListener.Reply {
        HTTPListener.Reply(
            fields: Self.fields(policy) + [(.contentType, type)], body: body)
    }

    private static func refusal(_ status: Int) -> HTTPListener.Reply {
        var fields = fields(strictPolicy)
        if status == 405 { fields.append(("Allow", "GET, HEAD")) }
        if status == 503 { fields.append((.retryAfter, "5")) }
        return HTTPListener.Reply(status: status, fields: fields, body: [])
    }

    private static func fields(_ policy: String) -> [(HTTPField.Name, String)] {
        [
            ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }

    // MARK: Metrics

    private func metrics(accepting accept: String?) -> HTTPListener.Disposition {
        .wait { [self] resumption in
            let task = Task {
                let (type, bytes) = await source.collector.metrics.exposition(accepting: accept)
                resumption.resume { .reply(self.reply(type, bytes)) }
            }
            resumption.cancelAtStop(task)
        }
    }

    // MARK: The stream

    private func stream(_ reply: HTTPListener.Reply) -> HTTPListener.Disposition {
        guard let viewer = Viewer(source) else { return .reply(Self.refusal(503)) }
        var reply = reply
        reply.body = Array("retry: 2000\n\n".utf8) + hello
        return .stream(reply) { await viewer.next() }
    }

    /// What the page has to know first.
    private var hello: [UInt8] {
        let collector = source.collector
        let members = JSONText.members { writer in
            writer.count("version", 1)
            writer.name("start_unix_ms")
            writer.integer(collector.unixStart.wholeMilliseconds)
            writer.milliseconds("now_ms", collector.now)
            writer.name("column_ms")
            writer.integer(History.columnNanoseconds / 1_000_000)
            writer.count("column_count", History.columnCount)
            writer.name("heat_bounds_ms")
            writer.beginArray()
            for index in History.heatBounds.indices { writer.milliseconds(History.heatBounds[index]) }
            writer.endArray()
            writer.name("spark_ms")
            writer.integer(Sparklines.stepNanoseconds / 1_000_000)
            writer.count("spark_count", Sparklines.stepCount)
            // A window covers its length and up to one step more.
            writer.objects("windows", [("10s", "10–12 s"), ("1m", "60–70 s"), ("5m", "5–6 min")]) {
                writer, window in
                writer.text("id", window.0)
                writer.text("label", window.1)
            }
            writer.object("kept") { writer in
                writer.count("recent", KeptCalls.recentLimit)
                writer.count("failed", KeptCalls.failedLimit)
                writer.count("slowest", KeptCalls.slowestLimit)
            }
            writer.flag("has_health", collector.hasEngines)
        }
        return EventStream.event("hello", members)
    }
}

/// A connection that gets the stream. It counts as a viewer as long as it exists.
final class Viewer: Sendable {
    private let source: FrameSource
    private let state = Locked(ViewerState())

    /// `nil` if there are too many viewers.
    init?(_ source: FrameSource) {
        guard source.enter() else { return nil }
        self.source = source
    }

    deinit { source.leave() }

    /// The next event; `nil` after the end of the source. One call at a time.
    func next() async -> [UInt8]? {
        // What is missing before the first frame does not wait for the next one.
        let known = state.withLock { $0.frame }
        guard let frame = await source.frame(after: known) else { return nil }
        return state.withLock { $0.next(frame) }
    }
}

extension HTTPListener.Reply {
    fileprivate init(status: Int = 200, fields: [(HTTPField.Name, String)], body: [UInt8]) {
        var all = HTTPFields()
        for (name, value) in fields { all.append(name, value) }
        self.init(status: status, fields: all, body: body)
    }
}
