@testable import GatewayCore
@testable import GatewayJSON

enum CoreSpecimens {
    static func all() throws -> [Any] {
        let origin = try Origin("https://api.example.com:8443")
        let url = try ParsedURL("https://api.example.com/a?key=\(Marker.token)")
        let fields: HTTPFields = ["Authorization": "Bearer \(Marker.text)", "Cookie": Marker.text]
        let stamp = CredentialStamp(
            identity: CredentialIdentity(key: "issuer|client", epoch: 1), generation: 2)
        let exchange = Exchange(origin: origin, attempts: 2, stamp: stamp)
        let error = NetworkError(
            .timeout, "No byte came in time.", origin: origin, phase: .firstByte, underlying: LeakyError())
        var timings = ExchangeTimings()
        timings.tcp = TCPSample(
            roundTripTime: .zero, roundTripTimeVariation: .zero, retransmitCount: 0,
            congestionWindowSegments: 0)
        var context = RequestContext(
            options: CallOptions(deadline: .seconds(1), retry: Leaky()), operation: "listBooks")
        context.credentials = LeakyCredential()
        context.events = LeakySink()
        let connection = ConnectionInfo(version: .http1_1, address: "127.0.0.1", port: 443)
        let event = { (kind: RequestEvent.Kind) in
            RequestEvent(
                callID: 1,
                trace: TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, state: "a=\(Marker.text)"),
                operation: "op", origin: origin, method: .get, kind: kind)
        }
        let kinds: [RequestEvent.Kind] = [
            .started, .deduplicated(leader: 1), .redirected(status: 302, to: origin),
            .credentialRejected(generation: 1),
            .retryScheduled(delay: .zero, status: 503, error: .timeout), .replayed(generation: 1),
            .credentialWaited(.zero), .admissionWaited(.zero), .attemptStarted,
            .attemptEnded(AttemptEnd(.response(status: 200), connection: connection)),
            .attemptEnded(AttemptEnd(.error(.timeout, phase: .connect))),
            .cancelled(attempts: 1, duration: .zero),
            .exchanged(timings), .succeeded(status: 200, attempts: 1, duration: .zero),
            .failed(FailureCause(.timeout), attempts: 1, duration: .zero),
            .bodyFailed(FailureCause(error)),
            .notRetried(.deadline(delay: .zero), status: 503, error: .timeout),
        ]
        let bodies: [HTTPBody] = [
            .bytes(Marker.bytes), .text(Marker.text), .file("/run/secrets/\(Marker.text)"), .once(Leaky()),
            .replayable { Leaky() },
        ]
        let responses: [ResponseBody] = [.bytes(Marker.bytes), .stream(Leaky())]
        let options = CallOptions(
            deadline: .seconds(1), retry: Leaky(), idempotencyKey: Marker.text, fields: fields,
            query: [("key", Marker.text)], priority: .high, limits: AttemptLimits(connect: .seconds(1)))
        let operations: OperationOptions = ["listBooks": options]
        let buffer = BufferedEventSink(capacity: 1) { [leaky = Leaky()] _ in _ = leaky }
        let state = StateEvent(origin: origin, kind: .sentOverPlainHTTP)
        let events: [Any] = [
            FailureCause(error), CacheMode.reload, CircuitBreakerChoice.named("orders"), HedgeOutcome.hedge,
            StateEvent.Kind.circuitClosed("orders"),
            StateEvent.Kind.rateGateOpened("core"), StateEvent.Kind.rateLimitFieldIgnored("RateLimit"),
            RateGateChoice.wait, RateLimitReason.rejected(status: 429),
            ConnectionInfo.HTTPVersion.http2, Exchange.Source.coalesced, state,
            StateEvent.Kind.refreshSuspended(for: .zero),
            StateEvent.Kind.bulkheadOverloaded(limit: 1, waiting: 1),
            StateEvent.Kind.timeoutRateExceeded(operation: "listBooks", rate: 1, calls: 1),
            ClientEvent.state(state),
            ClientEvent.call(event(.started)),
        ]
        return [
            operations, Operation("listBooks", method: .get, template: "/books"), CallPriority.high,
            AttemptInfo.first, AttemptInfo.Reason.retry, RetryRefusal.deadline(delay: .zero), AttemptLimits(),
            EventInterests.all,
            AttemptEngine(transport: Leaky()), EngineServices(), AdmissionOutcome.notSent,
            TransportSlots(admission: Leaky(), transport: Leaky()),
            TracePropagation(), NetworkCondition(quality: .good), NetworkCondition.Quality.poor,
            AlwaysOnline(), NetworkTransition(kind: .moved, instant: .now), NetworkTransition.Kind.moved,
            try Debouncer<String>(delay: .seconds(1)) { _ in },
            Latest(Marker.text), Latest(Marker.text).begin(),
            AttemptEnd(.error(.timeout, phase: nil)), AttemptEnd.Outcome.response(status: 1), connection,
            TransportStatistics(), TransportStatistics.Counts(),
            PartHealth(name: "queue", state: "sending", counts: ["queued": 1]), TokenHealth(label: "default"),
            TokenHealth.Failure(code: .tokenUnavailable, isPermanent: false),
            TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, state: "a=\(Marker.text)") as Any,
            Baggage(values: ["a=\(Marker.token)"]), Baggage.Member("a", Marker.text) as Any,
            options, context, ResponseMode.collect(upToBytes: 1), stamp, stamp.identity, error,
            NetworkError(
                .unacceptableStatus, "The service answered 418.",
                response: FailedResponse(
                    status: 418, fields: fields, body: Marker.bytes, decodingError: LeakyError())),
            FailedResponse(status: 418, fields: fields, body: Marker.bytes, decodingError: LeakyError()),
            NetworkError(wrapping: LeakyError()), timings, timings.tcp as Any, exchange, url, origin, fields,
            HTTPField(.authorization, Marker.text), event(.started), RetryDecision.retry(after: .zero),
            AttemptOutcome(attempt: 1, method: .get, error: error), Secret(Marker.text),
            Deadline.after(.zero),
            FastRandomSource(), SystemRandomSource(), SystemClock(),
            buffer,
            HTTPRequest(
                method: .post, origin: origin, target: url.target, fields: fields, body: .text(Marker.text)),
            HTTPResponse(status: 200, fields: fields, body: .bytes(Marker.bytes), exchange: exchange),
        ] + events + kinds + kinds.map(event) + bodies + responses + responses.map { $0.makeAsyncIterator() }
    }
}

enum JSONSpecimens {
    static func all() throws -> [Any] {
        let text = #"{"\#(Marker.text)":["\#(Marker.text)"]}"#
        let document = try JSONDocument(Array(text.utf8))
        let object = try document.root.object()
        let elements = try JSONDocument(Array(#"["\#(Marker.text)"]"#.utf8)).root.elements()
        var writer = JSONWriter()
        writer.string(Marker.text)
        return [
            document, document.root, object, elements, elements.makeIterator(), writer, JSONLimits(),
        ] + (try tuples())
    }

    private final class Seen { var values: [Any] = [] }

    private struct Tuple: JSONTupleCodable {
        let seen = Seen()
        init(items: inout JSONTuple) throws(JSONError) { seen.values.append(items) }

        func write(items: inout JSONTupleWriter) {
            items.required(Marker.text)
            seen.values.append(items)
        }
    }

    private static func tuples() throws -> [Any] {
        let tuple = try Tuple(jsonBytes: Array(#"["\#(Marker.text)"]"#.utf8))
        _ = try tuple.jsonBytes()
        return tuple.seen.values
    }
}
