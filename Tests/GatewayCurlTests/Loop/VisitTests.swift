import Foundation
import GatewayCore
import Testing

@testable import GatewayCurl

/// Exchanges that callers make on their own threads.
@Suite(.timeLimit(.minutes(1))) struct VisitTests {
    /// A transport that finds every origin quick after two exchanges, and gives a caller as long as he likes.
    private func transport(
        quick: Int64 = .max / 8, visit: Int64 = 30_000_000_000, isAllowed: Bool = true,
        _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) -> CurlTransport {
        CurlTransport(
            settings: LoopSettings(
                CurlConfiguration(change),
                visits: VisitLimits(isAllowed: isAllowed, quick: quick, proof: 2, visit: visit)))
    }

    /// Sends requests until the transport knows that the origin is quick and a caller has made an exchange itself.
    private func warmUp(_ transport: CurlTransport, _ url: String) async throws {
        for _ in 0..<1000 where transport.visitCount == 0 { _ = try await transport.send(.get, url) }
        try #require(transport.visitCount > 0)
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
            let body = HTTPBody.text("\(number)")
            #expect(try await transport.send(.post, server.url, body: body).text == "hello")
        }
        #expect(transport.visitCount > 100)
        #expect(server.connectionCount == 1)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == (0..<200).map { "\($0)" })
        await transport.shutdown()
    }

    @Test func anOriginThatIsNotQuickIsLeftToTheLoop() async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport(quick: -1)
        for _ in 0..<50 { _ = try await transport.send(.get, server.url) }
        #expect(transport.visitCount == 0)
        await transport.shutdown()
    }

    @Test func withOneProcessorNobodyVisits() async throws {
        let server = FaultServer { _ in ok("hello") }
        defer { server.stop() }
        let transport = transport(isAllowed: false)
        for _ in 0..<50 { _ = try await transport.send(.get, server.url) }
        #expect(transport.visitCount == 0)
        await transport.shutdown()
    }

    @Test func newConnectionsDoNotCountAgainstTheirOrigin() async throws {
        // As with nginx, which closes a connection after so many requests.
        let server = FaultServer { (connection: FaultConnection) in
            for number in 1...10 {
                guard connection.readRequest() != nil else { return }
                connection.write(ok("hello", fields: number == 10 ? "Connection: close\r\n" : ""))
            }
            connection.close()
        }
        defer { server.stop() }
        let transport = transport()
        for _ in 0..<400 { #expect(try await transport.send(.get, server.url).text == "hello") }
        #expect(server.connectionCount == 40)
        #expect(transport.visitCount > 250)
        await transport.shutdown()
    }

    @Test func aCallerWhoseTimeIsOverLeavesTheRestToTheLoop() async throws {
        let server = FaultServer { (connection: FaultConnection) in
            while let request = connection.readRequest() {
                // Three hundred times as long as a caller is given.
                if request.isSlow { usleep(300_000) }
                connection.write(ok(request.isSlow ? "slow" : "quick"))
            }
        }
        defer { server.stop() }
        let transport = transport(visit: 1_000_000)
        try await warmUp(transport, server.url)
        let visits = transport.visitCount
        #expect(try await transport.send(.get, server.url + "/slow").text == "slow")
        #expect(transport.visitCount == visits + 1)
        // He has to be persuaded again.
        #expect(try await transport.send(.get, server.url).text == "quick")
        #expect(transport.visitCount == visits + 1)
        await transport.shutdown()
    }

    @Test func whatComesInMeanwhileIsServedAtOnce() async throws {
        let gate = ThreadGate()
        let server = server(holdingSlow: gate)
        defer { server.stop() }
        // A caller would wait half a minute if nothing called him.
        let transport = transport()
        try await warmUp(transport, server.url)
        async let slow = transport.send(.get, server.url + "/slow")
        await eventually { server.requests.contains(where: \.isSlow) }
        #expect(try await transport.send(.get, server.url + "/quick").text == "quick")
        gate.open()
        #expect(try await slow.text == "slow")
        await transport.shutdown()
    }

    enum End: CaseIterable { case cancelled, closed, timeout }

    @Test(arguments: End.allCases)
    func aVisitEndsAsAnyExchangeDoes(end: End) async throws {
        let gate = ThreadGate()
        let server = server(holdingSlow: gate)
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport(visit: end == .timeout ? 1_000_000 : 30_000_000_000)
        try await warmUp(transport, server.url)
        let url = server.url + "/slow"
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(.get, url, deadline: end == .timeout ? .milliseconds(20) : nil)
            }?.code
        }
        await eventually { server.requests.contains(where: \.isSlow) }
        switch end {
        case .cancelled: call.cancel()
        case .closed: await transport.shutdown()
        case .timeout: break
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
        try await warmUp(transport, server.url)
        let url = server.url
        let answered = Tally()
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(caller))
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
