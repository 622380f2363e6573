import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// A request is stamped when it has its connection slot, so that one that waited carries the newest credential.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct StampAfterWaitTests {
    /// Holds the only connection with one request, and lets a number of others wait for it.
    private func waiting(
        _ count: Int, body: HTTPBody = .empty, whileTheyWait: @Sendable (RollingCredential) -> Void
    ) async throws -> (requests: [ReceivedRequest], responses: [HTTPResponse], readyCount: Int) {
        let held = ThreadGate()
        let server = FaultServer { request in
            if request.line.contains("/held") { held.wait() }
            return ok()
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let engine = AttemptEngine(transport: transport)
        let credential = RollingCredential()
        let origin = try Origin(server.url)
        let first = Task { try await transport.send(.get, server.url + "/held") }
        await transport.waitForStatistics { $0.origins[origin]?.active == 1 }
        let method: HTTPMethod = body.isEmpty ? .get : .post
        let calls = (0..<count).map { index in
            let request = HTTPRequest(method: method, origin: origin, target: "/\(index)", body: body)
            let context = RequestContext(credentials: credential)
            return Task { try await engine.send(request, context: context) }
        }
        await transport.waitForStatistics { $0.origins[origin]?.waiting == count }
        whileTheyWait(credential)
        held.open()
        _ = try await first.value
        var responses: [HTTPResponse] = []
        for call in calls { responses.append(try await call.value) }
        return (Array(server.requests.dropFirst()), responses, credential.readyCount)
    }

    @Test func theNewestCredentialIsSent() async throws {
        let (requests, responses, readyCount) = try await waiting(20) { $0.roll() }
        #expect(requests.allSatisfy { $0.value("authorization") == "Bearer 2" })
        #expect(requests.count == 20 && Set(requests.map(\.line)).count == 20)
        #expect(responses.allSatisfy { $0.exchange.stamp?.generation == 2 && $0.exchange.attempts == 1 })
        #expect(readyCount == 0)
    }

    /// A request that waits has no stamp yet.
    @Test func nothingWaitsAfterTheStamp() async throws {
        let (requests, _, readyCount) = try await waiting(3) { credential in
            #expect(credential.stampCount == 0)
        }
        #expect(requests.allSatisfy { $0.value("authorization") == "Bearer 1" } && requests.count == 3)
        #expect(readyCount == 0)
    }

    /// Requests that wait are not stamped with what was rejected: the source learns of a 401 before the slot is free.
    @Test func theSourceLearnsOfA401BeforeTheNextStamp() async throws {
        let held = ThreadGate()
        let server = FaultServer { request in
            if request.line.contains("/held") { held.wait() }
            return ok(status: request.value("authorization") == "Bearer 1" ? "401 Unauthorized" : "200 OK")
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let engine = AttemptEngine(transport: transport)
        let context = RequestContext(credentials: RollingCredential(rollsOnRefusal: true))
        let origin = try Origin(server.url)
        let calls = try (0..<20).map { index in
            let request = try HTTPRequest(.get, server.url + (index == 0 ? "/held" : "/\(index)"))
            return Task { try await engine.send(request, context: context).status }
        }
        await transport.waitForStatistics {
            $0.origins[origin]?.active == 1 && $0.origins[origin]?.waiting == 19
        }
        held.open()
        var statuses: [Int] = []
        for call in calls { statuses.append(try await call.value) }
        // The request that was sent first need not be that which is held.
        #expect(statuses.count { $0 == 401 } == 1)
        #expect(statuses.count { $0 == 200 } == 19)
    }

    @Test func aCredentialThatIsGoneIsWaitedFor() async throws {
        let (requests, _, readyCount) = try await waiting(3) { $0.expire() }
        #expect(requests.count == 3 && readyCount >= 1)
    }

    @Test func aBodyIsSentWhole() async throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let bodies: [HTTPBody] = [.bytes(bytes), .replayable { OnePiece(bytes: bytes) }]
        for body in bodies {
            let (requests, _, _) = try await waiting(2, body: body) { $0.roll() }
            #expect(requests.map(\.body) == [bytes, bytes])
            #expect(requests.allSatisfy { $0.value("authorization") == "Bearer 2" })
        }
    }

    @Test func aLimitOfTheCallIsOverTheTransports() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        let context = RequestContext(
            options: CallOptions(limits: AttemptLimits(firstByte: .milliseconds(20))), clock: clock)
        let request = try HTTPRequest(.get, server.url)
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(request, context: context)
            }
        }
        await transport.waitForStages(.waiting)
        clock.advance(by: .milliseconds(20))
        let error = await call.value
        #expect(error?.code == .timeout && error?.phase == .firstByte)
        #expect(
            error?.message == "No response from 127.0.0.1:\(server.port) within 20 ms (limits.firstByte).")
    }

    @Test func statisticsCountConnectionsAndRequests() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = CurlTransport()
        #expect(await transport.statistics() == TransportStatistics())
        _ = try await transport.send(.get, server.url)
        let origin = try Origin(server.url)
        let counts = try #require(await transport.statistics().origins[origin])
        #expect(counts.connections == 1 && counts.active == 0 && counts.waiting == 0)
        await transport.shutdown()
        #expect(await transport.statistics() == TransportStatistics())
    }
}

/// A body in one piece.
private struct OnePiece: AsyncSequence, Sendable {
    let bytes: [UInt8]

    struct Iterator: AsyncIteratorProtocol {
        var bytes: [UInt8]?

        mutating func next() async throws -> HTTPBody.Chunk? {
            defer { bytes = nil }
            return bytes?[...]
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes) }
}
