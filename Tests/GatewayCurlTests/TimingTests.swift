import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct TimingTests {
    private func timings(_ recorder: EventRecorder) -> [ExchangeTimings] {
        recorder.events.compactMap { event in
            if case .exchanged(let timings) = event.kind { return timings }
            return nil
        }
    }

    @Test func aConnectionUsedAgainHasNoTimesOfItsOwn() async throws {
        let server = FaultServer { _ in ok("12345") }
        defer { server.stop() }
        let transport = CurlTransport()
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        for _ in 0..<2 {
            _ = try await transport.send(
                try HTTPRequest(.post, server.url, body: .bytes([1, 2, 3])), context: context)
        }
        let timings = timings(recorder)
        try #require(timings.count == 2)
        #expect(!timings[0].isReused && timings[0].resolve != nil && timings[0].connect != nil)
        #expect(timings[1].isReused && timings[1].resolve == nil && timings[1].connect == nil)
        for timing in timings {
            #expect(timing.tls == nil && timing.firstByte != nil && timing.total > .zero)
            #expect(timing.sentBytes == 3 && timing.receivedBytes == 5)
        }
    }

    @Test func whatWasNotReachedHasNoTime() async throws {
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        let request = try HTTPRequest(.get, "http://127.0.0.1:\(FaultServer.unusedPort())/")
        _ = await failure { () throws(NetworkError) in
            try await CurlTransport().send(request, context: context)
        }
        let timings = timings(recorder)
        try #require(timings.count == 1)
        #expect(!timings[0].isReused && timings[0].connect == nil && timings[0].firstByte == nil)
    }

    private final class HeadObserver: RequestEventSink {
        let interests: EventInterests = .headTimings
        func record(_ event: borrowing RequestEvent) {}
    }

    /// A stream has the phases until its header fields if they are asked for.
    @Test func aStreamHasTimingsAtItsHead() async throws {
        let server = FaultServer { _ in ok("12345") }
        defer { server.stop() }
        let transport = CurlTransport()
        for isAsked in [true, false] {
            let sink: any RequestEventSink = isAsked ? HeadObserver() : EventRecorder()
            var context = RequestContext()
            context.events = sink
            context.response = .stream
            let response = try await transport.send(try HTTPRequest(.get, server.url), context: context)
            let timings = response.exchange.headTimings?.timings
            #expect((timings != nil) == isAsked)
            if let timings { #expect(timings.connect != nil && timings.firstByte != nil) }
            _ = try await response.body.collect(upToBytes: 5)
        }
    }

    /// The time of a stream is over when its body is.
    @Test func aStreamIsTimedToItsEnd() async throws {
        let server = FaultServer { _ in ok("12345") }
        defer { server.stop() }
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        context.response = .stream
        let response = try await CurlTransport().send(try HTTPRequest(.get, server.url), context: context)
        _ = try await response.body.collect(upToBytes: 5)
        #expect(timings(recorder).map(\.receivedBytes) == [5])
    }
}
