import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Servers that send without end, or take nothing: deadlines hold, other origins are served, and neither memory nor
/// processor time grows with what the server does.
@Suite(.serialized, .needsHostileServer)
struct HostileFloodTests {
    /// Frames that carry nothing are read for as long as they come, by libcurl in one call (see ``LoopWatchdog``).
    @Test(arguments: [
        "priority-flood", "priority-of-idle-streams-flood", "window-flood", "unknown-frame-flood",
        "empty-data-flood", "padded-data-flood", "empty-headers-flood", "ping-ack-flood", "interim-flood",
    ])
    func framesWithoutEnd(attack: String) async throws {
        let server = try await HostileServer()
        let bystander = try await HostileServer()
        let transport = speakingHTTP2()
        #expect(await transport.ending(.get, bystander.url("ok")).ending == .response("ok"))
        let memory = try Usage.memory()
        let (url, other) = (server.url(attack), bystander.url("ok"))
        async let flooded = transport.ending(.post, url, body: .text("pay"))
        await elapse(milliseconds: 100)
        let (ending, waited) = await transport.ending(.get, other, deadline: RealTime.limit(.seconds(10)))
        #expect(ending == .response("ok"))
        #expect(waited < RealTime.limit(.seconds(2)))
        let (result, took) = await flooded
        #expect(result.isError)
        #expect(took < RealTime.limit(.seconds(3)))
        let journal = try await server.journal()
        #expect(journal.arrivals(attack) == 1)
        // Empty header blocks end the stream at once, and the flood goes on behind it.
        if attack != "empty-headers-flood" { #expect(journal.pushed > 1 << 20) }
        #expect(try Usage.memory() - memory < 24 << 20)
        try await server.close()
        try await bystander.close()
    }

    /// A body past every window, of which the reader takes one piece.
    @Test func contentPastTheWindowIsNotKept() async throws {
        let server = try await HostileServer()
        let transport = speakingHTTP2()
        #expect(await transport.ending(.get, server.url("ok")).ending == .response("ok"))
        let memory = try Usage.memory()
        let body = try await transport.stream(.get, server.url("ignored-window"), deadline: .seconds(5)).body
        var pieces = body.makeAsyncIterator()
        _ = try await pieces.next()
        await elapse(milliseconds: 500)
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
        for round in 0..<200 {
            let ending = await transport.ending(.get, server.url(attacks[round % attacks.count])).ending
            #expect(ending.isError)
        }
        #expect(try Usage.memory() - memory < 8 << 20)
        #expect(await transport.ending(.get, server.url("ok")).ending == .response("ok"))
        try await server.close()
    }

    /// An upload that cannot go on costs no processor time (curl #7821) and ends by its deadline.
    @Test(arguments: [
        ("plain", "early-silence"), ("plain", "early-window-shrinks"), ("no-window", "silence"),
        ("no-streams", "silence"),
    ])
    func anUploadThatStandsStill(greeting: String, path: String) async throws {
        let server = try await HostileServer(greeting)
        let transport = speakingHTTP2()
        let body = HTTPBody.bytes([UInt8](repeating: 65, count: 300_000))
        let before = Usage.processor
        let (ending, took) = await transport.ending(.post, server.url(path), body: body)
        #expect(ending == .error(.timeout))
        #expect(took < RealTime.limit(.seconds(3)))
        #expect(Usage.processor - before < RealTime.limit(.milliseconds(300)))
        #expect(try await server.journal().requests.count <= 1)
        try await expectWorking(transport)
        try await server.close()
    }

    /// A window that opens byte by byte, and an answer that does not wait for the body.
    @Test(arguments: [("tiny-window", "ok", 65_700), ("no-window", "early-answer", 300_000)])
    func anUploadThatGoesOn(greeting: String, path: String, count: Int) async throws {
        let server = try await HostileServer(greeting)
        let body = HTTPBody.bytes([UInt8](repeating: 65, count: count))
        let result = await speakingHTTP2().ending(
            .post, server.url(path), body: body, deadline: RealTime.limit(.seconds(20)))
        #expect(result.ending == .response("ok"))
        #expect(try await server.journal().requests.count == 1)
        try await server.close()
    }
}
