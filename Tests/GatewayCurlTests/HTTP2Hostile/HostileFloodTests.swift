import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// Servers that send without end, or take nothing: deadlines hold, other origins are served, and neither memory nor
/// processor time grows with what the server does.
@Suite(.serialized, .needsHostileServer, .tags(.concurrent), .timeLimit(.minutes(2)))
struct HostileFloodTests {
    /// Frames that carry nothing are read for as long as they come, by libcurl in one call where they come as fast as they
    /// are read (see ``LoopWatchdog``). Where they do not, the deadline ends the exchange.
    @Test(
        .waits("the watchdog looks for 0.3 s"),
        .long("nine floods keep libcurl busy until the watchdog ends them"),
        arguments: [
            "priority-flood", "priority-of-idle-streams-flood", "window-flood", "unknown-frame-flood",
            "empty-data-flood", "padded-data-flood", "empty-headers-flood", "ping-ack-flood", "interim-flood",
        ])
    func framesWithoutEnd(attack: String) async throws {
        let server = try await HostileServer()
        let bystander = try await HostileServer()
        let clock = ManualClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        #expect(await transport.ending(.get, bystander.url("ok"), clock: clock) == .response("ok"))
        let memory = try Usage.memory()
        let (url, other) = (server.url(attack), bystander.url("ok"))
        async let flooded = transport.ending(
            .post, url, body: .text("pay"), deadline: .seconds(1), clock: clock)
        // Empty header blocks end the stream at once, and the flood goes on behind it. Interim responses end it at the limit
        // of a header, which may be before so much was pushed.
        let isLong = !["empty-headers-flood", "interim-flood"].contains(attack)
        await server.await { $0.requests.count == 1 && (!isLong || $0.pushed > 1 << 20) }
        clock.advance(by: .seconds(1))
        #expect(await transport.ending(.get, other, clock: clock) == .response("ok"))
        if case .response = await flooded { Issue.record("a flood is no response") }
        #expect(try await server.journal().arrivals(attack) == 1)
        #expect(try Usage.memory() - memory < 24 << 20)
        try await server.close()
        try await bystander.close()
    }

    /// The watchdog looks each 0.1 s and waits for three sightings: a deadline in a flood passes soon after its time.
    @Test(
        .realTime("How soon a flood is ended depends on the machine. framesWithoutEnd shows what ends it."),
        arguments: ["priority-flood", "empty-data-flood"])
    func aDeadlineInAFloodPassesSoonAfterItsTime(attack: String) async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        let start = ContinuousClock.now
        let ending = await transport.ending(
            .post, server.url(attack), body: .text("pay"), deadline: .seconds(1))
        #expect(ending == .error(.timeout) || ending.isFailure)
        #expect(ContinuousClock.now - start < .seconds(3))
        try await server.close()
    }

    /// A body past every window, of which the reader takes one piece.
    @Test func contentPastTheWindowIsNotKept() async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        #expect(await transport.ending(.get, server.url("ok")) == .response("ok"))
        let memory = try Usage.memory()
        let body = try await transport.stream(.get, server.url("ignored-window")).body
        var pieces = body.makeAsyncIterator()
        _ = try await pieces.next()
        // Until nothing more is taken, or more than may be kept.
        var (pushed, looks) = (0, 0)
        await server.await {
            looks = $0.pushed == pushed ? looks + 1 : 0
            pushed = $0.pushed
            return looks == 50 || pushed > 64 << 20
        }
        // The most that libcurl offers to take for a connection is 32 MB, and it keeps less.
        #expect(try Usage.memory() - memory < 24 << 20)
        try await expectWorking(transport)
        try await server.close()
    }

    /// Attacks that end connections, one after another on one transport.
    @Test func nothingIsLeftBehind() async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        let attacks = [
            "hpack-bomb", "hpack-unknown-index", "continuation-flood", "fields-past-curls-limit",
            "fields-past-our-limit", "settings-flood", "goaway-zero", "reset-refused", "garbage",
            "promise-flood",
        ]
        for attack in attacks { _ = await transport.ending(.get, server.url(attack)) }
        let memory = try Usage.memory()
        for round in 0..<SoakScale.rounds(50) {
            let ending = await transport.ending(.get, server.url(attacks[round % attacks.count]))
            #expect(ending.isFailure)
        }
        #expect(try Usage.memory() - memory < 8 << 20)
        #expect(await transport.ending(.get, server.url("ok")) == .response("ok"))
        try await server.close()
    }

    /// An upload that cannot go on costs no processor time (curl #7821) and ends by its deadline.
    @Test(arguments: [
        ("plain", "early-silence", 1), ("plain", "early-window-shrinks", 1),
        ("no-window", "early-silence", 1),
        ("no-streams", "silence", 0),
    ])
    func anUploadThatStandsStill(greeting: String, path: String, requests: Int) async throws {
        let server = try await HostileServer(greeting)
        let clock = CountingClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        let body = HTTPBody.bytes([UInt8](repeating: 65, count: 300_000))
        let url = server.url(path)
        async let ending = transport.ending(.post, url, body: body, deadline: .seconds(1), clock: clock)
        await server.await { $0.connections == 1 && $0.requests.count >= requests }
        // A loop waits after some tens of turns in which it could write. One that does not rest makes thousands.
        let (reads, waits) = (clock.reads, Usage.waits)
        await elapse(milliseconds: 200)
        #expect(clock.reads - reads <= 100 * (Usage.waits - waits))
        clock.advance(by: .seconds(1))
        #expect(await ending == .error(.timeout))
        #expect(try await server.journal().requests.count <= 1)
        try await expectWorking(transport)
        try await server.close()
    }

    /// A window that opens byte by byte, and an answer that does not wait for the body. No time passes: how long a byte takes
    /// depends on the machine.
    @Test(arguments: [("tiny-window", "ok", 300), ("no-window", "early-answer", 300_000)])
    func anUploadThatGoesOn(greeting: String, path: String, count: Int) async throws {
        let server = try await HostileServer(greeting)
        let clock = ManualClock()
        let transport = speakingHTTP2 { $0.clock = clock }
        // After a response the server's window counts. Before, a client may send 65,535 bytes, or one at a time.
        #expect(await transport.ending(.get, server.url("ok"), clock: clock) == .response("ok"))
        let body = HTTPBody.bytes([UInt8](repeating: 65, count: count))
        let ending = await transport.ending(.post, server.url(path), body: body, clock: clock)
        #expect(ending == .response("ok"), "\(greeting)")
        #expect(try await server.journal().requests.count == 2)
        try await server.close()
    }
}
