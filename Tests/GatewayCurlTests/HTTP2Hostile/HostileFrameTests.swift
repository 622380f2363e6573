import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// Servers that break HTTP/2 in one exchange: it ends in a response or a typed error, before its deadline and sent once,
/// and the transport goes on.
@Suite(.serialized, .needsHostileServer, .timeLimit(.minutes(2)))
struct HostileFrameTests {
    static let lost = [
        // Bodies and heads that are cut off.
        "closed-before-head", "closed-in-head", "ended-too-early", "ended-without-body",
        "more-than-announced", "much-more-than-announced",
        // Resets.
        "reset-no-error", "reset-protocol", "reset-internal", "reset-refused", "reset-cancel", "reset-calm",
        "reset-http1", "reset-unknown", "reset-protocol-in-body", "reset-refused-in-body",
        "reset-cancel-in-body", "reset-http1-in-body", "reset-unknown-in-body", "reset-no-error-with-body",
        "reset-refused-with-body", "reset-storm",
        // Servers that go away.
        "goaway-zero", "goaway-below", "goaway-then-closed", "goaway-in-body", "goaway-rising",
        "goaway-on-stream", "goaway-short",
        // Header blocks.
        "continuation-flood", "empty-continuation-flood", "continuation-without-headers",
        "interrupted-headers", "fields-past-curls-limit", "hpack-bomb", "hpack-bombs-after-end",
        "hpack-unknown-index", "hpack-index-zero", "hpack-cut-off", "hpack-huge-integer", "hpack-huge-table",
        "hpack-bad-huffman", "hpack-huge-string",
        // Fields.
        "upper-case-name", "no-status", "two-statuses", "status-101", "status-short", "status-letters",
        "status-long", "status-empty", "status-last", "request-pseudo", "unknown-pseudo", "empty-name",
        "connection-field", "chunked-field", "two-lengths", "negative-length", "huge-length",
        "injected-field", "injected-name", "null-value", "headers-of-many-streams", "headers-on-even-stream",
        "headers-on-stream-zero",
        // Windows and settings.
        "window-of-zero-increment", "window-of-zero-increment-for-all", "window-overflow",
        "window-overflow-for-all", "window-short", "settings-flood", "full-settings-flood",
        "settings-ack-flood", "ping-flood", "settings-bad-length", "settings-on-stream",
        "settings-bad-frame-size", "settings-bad-window",
        // Frames that are not allowed.
        "promise", "promise-flood", "data-before-headers", "data-on-stream-zero", "data-on-unknown-stream",
        "frame-of-16-megabytes", "ping-bad-length", "priority-on-stream-zero", "priority-on-itself",
        "reset-on-stream-zero", "garbage",
    ]
    static let whole = [
        "data-after-end", "reset-after-response", "reset-with-response", "goaway-then-response",
        "goaway-storm-then-response", "good-trailers", "trailers-with-pseudo", "trailers-with-status",
        "trailers-without-end", "large-trailers", "fields-of-15-kilobytes",
        "fields-of-40-kilobytes", "fields-of-60-kilobytes",
    ]
    /// Those that leave the connection open and the exchange without an end.
    static let stalled = [
        "silence", "goaway-with-error-then-silence", "unfinished-headers", "half-a-frame", "half-a-head",
    ]

    @Test(.waits("each server has to be connected to twice"), arguments: lost)
    func aBrokenExchangeIsAConnectionLost(attack: String) async throws {
        try await expect([.error(.connectionLost)], attack)
    }

    @Test(arguments: whole)
    func aCompleteResponseIsAResponse(attack: String) async throws {
        try await expect([.response("ok")], attack)
    }

    /// With the last two the connection stays open, and libcurl finds its end when the loop has it look.
    @Test(arguments: [
        "closed-in-body", "closed-in-body-without-length", "closed-in-frame", "reset-no-error-in-body",
        "frame-over-the-maximum", "data-with-bad-padding",
    ])
    func aBodyWithoutItsEndIsTruncated(attack: String) async throws {
        // Where both frames come in one piece libcurl sees the reset first.
        try await expect([.error(.truncated), .error(.connectionLost)], attack)
    }

    @Test func aLargeHeaderIsRefused() async throws {
        try await expect([.error(.responseTooLarge)], "fields-past-our-limit")
    }

    /// Trailers that come after the announced content are not waited for; what they break shows in the next call.
    @Test func whatComesAfterTheResponseBreaksOneCallAtMost() async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        #expect(await transport.ending(.get, server.url("hpack-bomb-in-trailers")) == .response("ok"))
        _ = await transport.ending(.get, server.url("ok"))
        #expect(await transport.ending(.get, server.url("ok")) == .response("ok"))
        try await server.close()
    }

    @Test func aStatusThatIsNoneIsMalformed() async throws {
        try await expect([.error(.malformedResponse)], "status-zero")
    }

    @Test(arguments: stalled)
    func anExchangeWithoutAnEndHasItsDeadline(attack: String) async throws {
        let server = try await HostileServer()
        let clock = ManualClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        let url = server.url(attack)
        async let ending = transport.ending(
            .post, url, body: .text("pay"), deadline: .milliseconds(400), clock: clock)
        await server.await { $0.requests.count == 1 }
        clock.advance(by: .milliseconds(400))
        #expect(await ending == .error(.timeout))
        #expect(await transport.ending(.get, server.url("ok"), clock: clock) == .response("ok"))
        #expect(try await server.journal().arrivals(attack) == 1)
        try await server.close()
    }

    /// How each connection begins, and what a request on it ends in.
    @Test(
        .tags(.concurrent),
        arguments: [
            ("leaving", Ending.error(.connectionLost)), ("leaving-politely", .response("ok")),
            ("small-frames", .error(.connectionLost)), ("large-frames", .error(.connectionLost)),
            ("huge-window", .error(.connectionLost)), ("push-2", .error(.connectionLost)),
            ("window-then-overflow", .error(.connectionLost)), ("ping-first", .error(.connectionLost)),
            ("http1", .error(.connectionLost)), ("silent", .error(.connectionLost)),
            ("streams-later", .response("ok")), ("one-stream", .response("ok")),
        ])
    func connectionsThatBeginBadly(greeting: String, ending: Ending) async throws {
        let server = try await HostileServer(greeting)
        let transport = speakingHTTP2()
        for _ in 0..<2 {
            #expect(await transport.ending(.post, server.url("ok"), body: .text("pay")) == ending)
        }
        let journal = try await server.journal()
        #expect(journal.requests.count <= 2, "\(journal.requests)")
        try await expectWorking(transport)
        try await server.close()
    }

    /// Connections on which a request cannot go on: each has its deadline, and the next request another connection.
    @Test(arguments: ["silent", "half-frame", "no-streams"])
    func aConnectionThatStandsStillHasItsDeadline(greeting: String) async throws {
        let server = try await HostileServer(greeting)
        let clock = ManualClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        let url = server.url("silence")
        for number in 1...2 {
            async let ending = transport.ending(
                .post, url, body: .text("pay"), deadline: .seconds(1), clock: clock)
            await server.await { $0.connections == number }
            clock.advance(by: .seconds(1))
            #expect(await ending == .error(.timeout))
        }
        #expect(try await server.journal().requests.count <= 2)
        try await expectWorking(transport)
        try await server.close()
    }

    /// An exchange fails, and before its connection is shut down a frame comes that nobody reads.
    @Test(.tags(.concurrent)) func aConnectionThatWasLeftWithUnreadBytesIsNotUsedAgain() async throws {
        let server = try await HostileServer()
        let clock = ManualClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        let (url, blocker) = (server.url("held-window"), LoopBlocker())
        async let ending = transport.ending(
            .post, url, body: .text("pay"), deadline: .seconds(1), clock: clock, events: blocker)
        await server.await { $0.requests.count == 1 }
        clock.advance(by: .seconds(1))
        await blocker.waitUntilBlocked()
        try await server.release()
        await server.await { $0.released == 1 }
        blocker.goOn()
        #expect(await ending == .error(.timeout))
        #expect(await transport.ending(.get, server.url("ok"), clock: clock) == .response("ok"))
        #expect(try await server.journal().arrivals("held-window") == 1)
        try await server.close()
    }

    /// A connection that is broken ends for all its exchanges at once, not at their deadlines; a broken stream leaves
    /// the others alone.
    @Test(
        .tags(.concurrent),
        arguments: [
            ("ended-too-early", true), ("data-after-end", true), ("reset-no-error-in-body", true),
            ("reset-refused", true), ("reset-refused-in-body", true), ("goaway-below", true),
            ("goaway-then-response", true), ("upper-case-name", true), ("window-overflow", true),
            ("fields-of-40-kilobytes", true), ("fields-past-our-limit", true), ("goaway-zero", false),
            ("goaway-in-body", false), ("hpack-bomb", false), ("hpack-unknown-index", false),
            ("window-overflow-for-all", false), ("data-on-stream-zero", false),
            ("frame-over-the-maximum", false), ("garbage", false), ("settings-flood", false),
            ("ping-flood", false), ("continuation-flood", false),
        ])
    func othersOnTheConnection(attack: String, survive: Bool) async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        let url = server.url("held")
        let other = Task { await transport.ending(.get, url) }
        await server.await { $0.requests.count == 1 }
        #expect(await transport.ending(.post, server.url(attack), body: .text("pay")) != .error(.timeout))
        if survive {
            try await server.release()
            #expect(await other.value == .response("ok"))
        } else {
            #expect(await other.value.isFailure)
        }
        let journal = try await server.journal()
        #expect(journal.arrivals(attack) == 1 && journal.arrivals("held") == 1)
        try await expectWorking(transport)
        try await server.close()
    }

    private func expect(_ endings: [Ending], _ attack: String) async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        let ending = await transport.ending(.post, server.url(attack), body: .text("pay"))
        #expect(endings.contains(ending), "\(attack)")
        // The fault stays with its call.
        let next = await transport.ending(.get, server.url("ok"))
        #expect(next == .response("ok"), "after \(attack), which ended in \(ending)")
        let journal = try await server.journal()
        #expect(journal.arrivals(attack) == 1)
        try await server.close()
    }
}

/// Calls to another origin go on.
func expectWorking(_ transport: CurlTransport) async throws {
    let server = try await HostileServer()
    #expect(await transport.ending(.get, server.url("ok")) == .response("ok"))
    try await server.close()
}
