import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// What a server of HTTP/2 says about requests that it did not process, and about a connection that it will leave.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1)), .needsServerIdentity) struct RefusedStreamTests {
    private typealias Frame = HTTP2FaultServer.Frame

    private static func answer(_ request: HTTP2FaultServer.Request) -> [HTTP2FaultServer.Frame] {
        [.head(stream: request.stream, length: 0, flags: Frame.endsStream)]
    }

    /// How a server refuses a request, on a connection that was used before or not.
    enum Refusal: CaseIterable, Sendable { case reset, goAway, goAwayAndEnd }

    @Test(arguments: Refusal.allCases, [true, false])
    func aRefusedRequestWasNotSent(refusal: Refusal, isKept: Bool) async throws {
        let server = HTTP2FaultServer { request in
            guard request.connection.number == 1, request.stream == (isKept ? 3 : 1) else {
                return Self.answer(request)
            }
            // Stream 1 was answered, or none.
            request.connection.write(
                refusal == .reset
                    ? [.reset(stream: request.stream, code: 7)] : [.goAway(last: isKept ? 1 : 0, code: 0)])
            if refusal == .goAwayAndEnd { request.connection.endWriting() }
            return []
        }
        defer { server.stop() }
        let transport = speakingHTTP2(to: server)
        if isKept { _ = try await transport.send(.get, server.url) }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url, body: .text("pay 100"))
        }
        // libcurl does not tell a stream that was reset from a connection that died.
        let isTold = refusal != .reset
        #expect(error?.code == .connectionLost && error?.mayHaveBeenSent == !isTold, "\(error as Any)")
        #expect(error?.message.contains("GOAWAY") == isTold)
        #expect(server.connectionCount == 1)
        #expect(try await transport.send(.post, server.url, body: .text("pay 100")).status == 200)
    }

    /// What the server demands is said; libcurl's own repetition over HTTP/1.1 is not made.
    @Test(arguments: [true, false]) func aServerMayRequireHTTP1(isKept: Bool) async throws {
        let server = HTTP2FaultServer { request in
            guard request.stream == (isKept ? 3 : 1) else { return Self.answer(request) }
            return [.reset(stream: request.stream, code: 13)]
        }
        defer { server.stop() }
        let transport = speakingHTTP2(to: server)
        if isKept { _ = try await transport.send(.get, server.url) }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url, body: .text("pay 100"))
        }
        #expect(error?.message.contains("HTTP_1_1_REQUIRED") == true, "\(error as Any)")
        #expect(error?.mayHaveBeenSent == true)
        #expect(server.connectionCount == 1)
    }

    /// Not a refusal: the server may have processed the request.
    enum Death: CaseIterable, Sendable { case end, reset, cancelled, invalid, goAway, internalError, unknown }

    @Test(arguments: Death.allCases, [true, false])
    func everyOtherEndMayHaveBeenAfterIt(death: Death, isKept: Bool) async throws {
        let server = HTTP2FaultServer { request in
            guard request.connection.number == 1, request.stream == (isKept ? 3 : 1) else {
                return Self.answer(request)
            }
            switch death {
            case .end: request.connection.close()
            case .reset: request.connection.reset()
            case .cancelled: return [.reset(stream: request.stream, code: 8)]
            // Content before a head.
            case .invalid: return [Frame(type: 0x0, stream: request.stream, payload: [1])]
            // The request's stream is among those that were processed.
            case .goAway:
                request.connection.write([.goAway(last: UInt8(request.stream), code: 0)])
                request.connection.close()
            case .internalError:
                request.connection.write([.goAway(last: UInt8(request.stream), code: 2)])
                request.connection.close()
            // A frame that no client may get ends the session from our side: SETTINGS with a length that is none.
            case .unknown: return [Frame(type: 0x4, payload: [1, 2, 3])]
            }
            return []
        }
        defer { server.stop() }
        let transport = speakingHTTP2(to: server)
        if isKept { _ = try await transport.send(.get, server.url) }
        let before = server.requestCount
        let error = await failure { () throws(NetworkError) in
            var context = RequestContext(options: CallOptions(deadline: .seconds(20)), clock: SystemClock())
            context.response = .collect(upToBytes: 100)
            return try await transport.send(
                try HTTPRequest(.post, server.url, body: .text("pay 100")), context: context)
        }
        #expect(error?.mayHaveBeenSent == true, "\(error as Any)")
        #expect(server.requestCount == before + 1)
    }

    /// The server leaves at every fifth request, and refuses what comes after that: none fails, none arrives twice.
    @Test(arguments: [1, 4]) func aGracefulEndLosesNoRequest(concurrency: Int) async throws {
        let served = Tally()
        let server = HTTP2FaultServer { request in
            guard request.stream <= 9 else { return [] }
            served.add()
            return request.stream == 9
                ? Self.answer(request) + [.goAway(last: 9, code: 0)] : Self.answer(request)
        }
        defer { server.stop() }
        let engine = RetryEngine(
            below: AttemptEngine(transport: speakingHTTP2(to: server)), policy: .immediate(attempts: 10))
        let request = try HTTPRequest(.post, server.url, body: .text("pay 100"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    for _ in 0..<(60 / concurrency) {
                        let response = try await engine.send(request, context: RequestContext())
                        #expect(response.status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(served.count == 60)
    }

    /// What comes on an idle connection in records of its own is read, one after another, before the next request.
    @Test(arguments: [
        [], [Frame.ping], [.ping, .ping, .ping], [.ping, .goAway(last: 1, code: 0)],
        [.goAway(last: 1, code: 0)], [.ping, .ping, Frame(type: 0x4), .goAway(last: 1, code: 0)],
    ])
    private func whatComesOnAnIdleConnection(frames: [Frame]) async throws {
        let (mayTalk, hasTalked) = (ThreadGate(), Gate())
        let ends = frames.contains { $0.type == 0x7 }
        let server = HTTP2FaultServer { request in
            guard request.connection.number == 1, request.stream == 1 else { return Self.answer(request) }
            request.connection.write(Self.answer(request))
            mayTalk.wait()
            request.connection.write(frames)
            request.connection.waitForAcknowledgement()
            if ends { request.connection.close() }
            hasTalked.open()
            return []
        }
        defer {
            mayTalk.open()
            server.stop()
        }
        let transport = speakingHTTP2(to: server)
        _ = try await transport.send(.get, server.url)
        mayTalk.open()
        await hasTalked.pass()
        for _ in 0..<3 { #expect(try await transport.send(.post, server.url).status == 200) }
        #expect(server.connectionCount == (ends ? 2 : 1))
        #expect(server.requestCount == 4)
    }
}
