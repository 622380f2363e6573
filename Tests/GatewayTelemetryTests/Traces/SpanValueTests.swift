import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// Samplers and URLs.
@Suite struct SpanValueTests {
    @Test func aShareIsThatOfTheLastBits() {
        let half = TraceSampler.share(0.5)
        #expect(!half.isSampled(parent: nil, traceIDLow: 0x7F_FFFF_FFFF_FFFF))
        #expect(half.isSampled(parent: nil, traceIDLow: 0x80_0000_0000_0000))
        // The first 8 bits do not count.
        #expect(!half.isSampled(parent: nil, traceIDLow: 0xFF00_0000_0000_0000))
        for sampler in [TraceSampler.alwaysOn, .share(1), .share(2), .share(.nan)] {
            #expect(sampler.isSampled(parent: nil, traceIDLow: 1))
        }
        for sampler in [TraceSampler.alwaysOff, .share(0), .share(-1)] {
            #expect(!sampler.isSampled(parent: nil, traceIDLow: .max))
        }
        #expect(TraceSampler.share(-.infinity) == .alwaysOff && TraceSampler.share(.infinity) == .alwaysOn)
        let random = SeededRandomSource(seed: 3)
        let tenth = (0..<100_000).count { _ in
            TraceSampler.share(0.1).isSampled(parent: nil, traceIDLow: random.next())
        }
        #expect((9_600...10_400).contains(tenth))
    }

    @Test(arguments: [UInt8(0), 1, 2, 3]) func aCallerDecides(flags: UInt8) throws {
        let parent = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 1, spanID: 1, flags: flags))
        for sampler in [TraceSampler.alwaysOn, .alwaysOff, .share(0.5)] {
            #expect(sampler.parentBased.isSampled(parent: parent, traceIDLow: 1) == (flags & 1 == 1))
            #expect(
                sampler.parentBased.isSampled(parent: nil, traceIDLow: 1)
                    == sampler.isSampled(parent: parent, traceIDLow: 1))
        }
    }

    @Test(arguments: [
        ("/a/b", "/a/b"), ("/a?x=1&y=2", "/a?x=REDACTED&y=2"), ("/a?secret", "/a?REDACTED"),
        ("/a?", "/a?"), ("/a?x=&&y=2=3", "/a?x=REDACTED&&y=2=3"), ("/a?sig=1&Sig=2", "/a?sig=REDACTED&Sig=2"),
        ("/a?%79=1", "/a?%79=1"), ("/a?y", "/a?REDACTED"),
        ("/a?X-Amz-Signature=1", "/a?X-Amz-Signature=REDACTED"),
    ])
    func valuesAreHidden(target: String, shown: String) throws {
        let url = SpanURL(showsPath: true, shownNames: ["y", "sig", "Sig", "X-Amz-Signature"])
        let origin = try Origin("https://api.example.com")
        #expect(url.text(origin, target, template: "/{id}") == "https://api.example.com" + shown)
        let template = SpanURL(showsPath: false, shownNames: [])
        #expect(template.text(origin, target, template: "/{id}") == "https://api.example.com/{id}")
        #expect(template.text(origin, target, template: "") == "https://api.example.com")
        let based = origin.with(basePath: "/v1")
        #expect(template.text(based, target, template: "/{id}") == "https://api.example.com/v1/{id}")
        #expect(template.text(based, target, template: "") == "https://api.example.com")
        #expect(url.text(based, target, template: "/{id}") == "https://api.example.com" + shown)
    }

    /// Every kind of event is one of the call's span, or known to be none.
    @Test func eventsHaveNamesOfTheirOwn() throws {
        let names = try EventSamples.calls().compactMap { $0.spanEvent?.name }
        #expect(names.count == 12 && Set(names).count == 12)
        #expect(names.allSatisfy { $0.hasPrefix("gateway.") })
    }

    /// What is known of a failure, without its message; the origin only if it is not the request's.
    @Test func aCauseHasItsAttributes() throws {
        let (origin, other) = (try EventSamples.origin(), try Origin("https://login.example.com"))
        #expect(FailureCause(.timeout, origin: origin).spanAttributes(of: origin).isEmpty)
        let cause = FailureCause(
            .tokenUnavailable, phase: .connect, origin: other, status: 503, underlying: .connectionRefused,
            serverCode: "invalid_client", requestID: "id")
        #expect(
            cause.spanAttributes(of: origin) == [
                .init("gateway.cause", "connection_refused"), .init("gateway.phase", "connect"),
                .init("gateway.status", 503), .init("gateway.failed_origin", "https://login.example.com"),
            ])
    }

    /// The server's ID of a request is in the events about its response.
    @Test func anIDOfTheServerIsShown() throws {
        let event = RequestEvent(
            callID: 1, operation: nil, origin: try EventSamples.origin(), method: .get,
            kind: .retryScheduled(delay: .seconds(1), status: 503, error: nil), requestID: "id-1")
        #expect(event.spanEvent?.attributes.last == .init("gateway.request_id", "id-1"))
    }
}
