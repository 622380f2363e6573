import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// Exchanges that callers make on their own threads.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct VisitTests {
    /// Longer than any test may take, in nanoseconds.
    private static let hour: Int64 = 3_600_000_000_000

    /// A transport that finds every origin quick after two exchanges, and gives a caller as long as it likes.
    private func transport(
        quick: Int64 = .max / 8, visit: Int64 = Self.hour, isAllowed: Bool = true,
        _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) -> CurlTransport {
        CurlTransport(
            settings: LoopSettings(
                CurlConfiguration(change),
                visits: VisitLimits(isAllowed: isAllowed, quick: quick, proof: 2, visit: visit)))
    }

    /// Sends requests until the transport knows that the origin is quick and a caller has made an exchange itself.
    private func warmUp(_ transport: CurlTransport, _ url: String) async throws {
        for _ in 0..<4 { _ = try await sendWhenIdle(transport, url) }
        try #require(transport.visitCount == 1)
    }

    /// Sends a request when the loop's thread leaves its loop to callers.
    private func sendWhenIdle(_ transport: CurlTransport, _ url: String, body: HTTPBody = .empty)
        async throws -> String
    {
        await eventually { transport.owners == [.nobody] }
        return try await transport.send(body.isEmpty ? .get : .post, url, body: body).text
    }

    /// A server that answers with the target, once the gate is open where that is `/slow`.
    private func server(holdingSlow gate: ThreadGate) -> FaultServer {
        FaultServer { (connection: FaultConnection) in
            while let request = connection.readRequest() {
                if request.isSlow { gate.wait() }
                connection.write(ok(request.isSlow ? "slow" : "quick"))
            }
        }
    }

    @Test func callsOneAtATimeAreMadeByTheirCallers() async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport()
        for number in 0..<200 {
            #expect(try await sendWhenIdle(transport, server.url, body: .text("\(number)")) == "hello")
        }
        // The first opens the connection, two more prove that the origin is quick, and after 32 visits in a row the loop's
        // thread has a turn.
        #expect(transport.visitCount == 197 - 197 / 33)
        #expect(server.connectionCount == 1)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == (0..<200).map { "\($0)" })
        await transport.shutdown()
    }

    @Test func anOriginThatIsNotQuickIsLeftToTheLoop() async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport(quick: -1)
        for _ in 0..<20 { _ = try await sendWhenIdle(transport, server.url) }
        #expect(transport.visitCount == 0)
        await transport.shutdown()
    }

    @Test func withOneProcessorNobodyVisits() async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport(isAllowed: false)
        for _ in 0..<20 { _ = try await sendWhenIdle(transport, server.url) }
        #expect(transport.visitCount == 0)
        await transport.shutdown()
    }

    /// As with nginx, which closes a connection after so many requests.
    @Test func newConnectionsDoNotCountAgainstTheirOrigin() async throws {
        let (gate, clock) = (ThreadGate(), ManualClock())
        let server = FaultServer { (connection: FaultConnection) in
            while let request = connection.readRequest() {
                if request.isSlow { gate.wait() }
                let closes = request.line.hasPrefix("GET /last ")
                connection.write(ok("hello", fields: closes ? "Connection: close\r\n" : ""))
                if closes { return }
            }
        }
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport(quick: 100_000) { $0.clock = clock }
        try await warmUp(transport, server.url)
        _ = try await sendWhenIdle(transport, server.url + "/last")
        // A new connection takes a second.
        async let slow = sendWhenIdle(transport, server.url + "/slow")
        await eventually { server.requests.contains(where: \.isSlow) }
        clock.advance(by: .seconds(1))
        gate.open()
        #expect(try await slow == "hello")
        #expect(server.connectionCount == 2 && transport.visitCount == 3)
        #expect(try await sendWhenIdle(transport, server.url) == "hello")
        #expect(transport.visitCount == 4)
        await transport.shutdown()
    }

    @Test func aCallerWhoseTimeIsOverLeavesTheRestToTheLoop() async throws {
        let (gate, clock) = (ThreadGate(), ManualClock())
        let server = server(holdingSlow: gate)
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport(quick: 100_000, visit: 1_000_000) { $0.clock = clock }
        try await warmUp(transport, server.url)
        async let slow = sendWhenIdle(transport, server.url + "/slow")
        await eventually { server.requests.contains(where: \.isSlow) }
        clock.advance(by: .milliseconds(1))
        await eventually { transport.owners == [.sleepingThread] }
        gate.open()
        #expect(try await slow == "slow")
        #expect(transport.visitCount == 2)
        // The origin has to prove again that it is quick, and twice as often.
        for _ in 0..<4 {
            #expect(try await sendWhenIdle(transport, server.url) == "quick")
            #expect(transport.visitCount == 2)
        }
        #expect(try await sendWhenIdle(transport, server.url) == "quick")
        #expect(transport.visitCount == 3)
        await transport.shutdown()
    }

    @Test func whatComesInMeanwhileIsServedAtOnce() async throws {
        let gate = ThreadGate()
        let server = server(holdingSlow: gate)
        defer {
            gate.open()
            server.stop()
        }
        // A caller would wait for an hour if nothing called it.
        let transport = transport()
        try await warmUp(transport, server.url)
        async let slow = sendWhenIdle(transport, server.url + "/slow")
        await eventually { server.requests.contains(where: \.isSlow) }
        #expect(try await transport.send(.get, server.url + "/quick").text == "quick")
        gate.open()
        #expect(try await slow == "slow")
        await transport.shutdown()
    }

    enum End: CaseIterable { case cancelled, closed, timeout }

    @Test(arguments: End.allCases)
    func aVisitEndsAsAnyExchangeDoes(end: End) async throws {
        let (gate, clock) = (ThreadGate(), ManualClock())
        let server = server(holdingSlow: gate)
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport { $0.clock = clock }
        try await warmUp(transport, server.url)
        let url = server.url + "/slow"
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(.get, url, deadline: .milliseconds(20), clock: clock)
            }?.code
        }
        await eventually { server.requests.contains(where: \.isSlow) }
        switch end {
        case .cancelled: call.cancel()
        case .closed: await transport.shutdown()
        case .timeout: clock.advance(by: .milliseconds(20))
        }
        let code = await call.value
        switch end {
        case .cancelled: #expect(code == .cancelled)
        case .closed: #expect(code == .closed)
        case .timeout: #expect(code == .timeout)
        }
        await transport.shutdown()
    }

    @Test func aConnectionThatTheServerClosedMeanwhileIsMadeAnew() async throws {
        let server = FaultServer { (connection: FaultConnection) in
            for _ in 0..<3 {
                guard connection.readRequest() != nil else { return }
                connection.write(ok("hello"))
            }
            connection.close()
        }
        defer { server.stop() }
        let transport = transport()
        for _ in 0..<60 {
            let response = await failure { () throws(NetworkError) in
                try await transport.send(.get, server.url)
            }
            // A close that meets the request is the server's doing; nothing else may go wrong.
            if let response { #expect(response.code == .connectionLost) }
        }
        #expect(transport.visitCount > 0)
        #expect(server.connectionCount >= 15)
        await transport.shutdown()
    }

    /// Callers that come and go: visits, hand-overs and the loop's own turns in every order. Run with ThreadSanitizer.
    @Test(arguments: [2, 3, 8])
    func visitsAndTheLoopTakeTurns(callers: Int) async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport(visit: 2_000_000)
        let url = server.url
        let answered = Tally()
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var random = SeededGenerator(seed: TestSeed.value(UInt64(caller)))
                    for _ in 0..<150 {
                        for _ in 0..<Int(random.next() % 4) { await Task.yield() }
                        if (try? await transport.send(.get, url).text) == "hello" { answered.add() }
                    }
                }
            }
        }
        #expect(answered.count == callers * 150)
        await transport.shutdown()
    }
}

extension ReceivedRequest {
    fileprivate var isSlow: Bool { line.hasPrefix("GET /slow ") }
}
