import GatewayCore
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// How many attempts errors report, with retries above the real transport.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct AttemptTests {
    private func engine(
        _ transport: CurlTransport, attempts: Int = 3, clock: any GatewayClock = SystemClock()
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.retry.policy = .immediate(attempts: attempts)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    @Test func everyRefusedConnectionCounts() async throws {
        let port = FaultServer.unusedPort()
        let recorder = EventRecorder()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: 3)
        configuration.events = recorder
        let engine = AsyncRequestEngine(transport: CurlTransport(), configuration: configuration)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.post, "http://127.0.0.1:\(port)/", body: .text("x")))
        }
        #expect(error?.code == .connectionRefused && error?.attempts == 3 && error?.mayHaveBeenSent == false)
        #expect(
            error?.description
                == "connection_refused (connect) after 3 attempts: 127.0.0.1:\(port) refused the connection: check "
                + "that the server is running and listens there.")
        guard case .failed(let cause, attempts: 3, _)? = recorder.events.last?.kind,
            cause.code == .connectionRefused, cause.phase == .connect
        else {
            Issue.record("\(recorder.events.map(\.kind))")
            return
        }
    }

    /// The event of an attempt tells the protocol and the peer, whether it has a response or fails.
    @Test func attemptsTellTheirConnection() async throws {
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("/good") else { return connection.waitForClose() }
                connection.write(ok())
            }
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        func connections(
            _ url: String, _ interests: EventInterests = .all, endsAtLimit: Bool = false
        ) async throws -> [ConnectionInfo?] {
            let sink = SelectiveRecorder(interests)
            var context = RequestContext()
            context.events = sink
            let call = Task { [context] in
                try? await AttemptEngine(transport: transport).send(
                    try HTTPRequest(.get, url), context: context)
            }
            if endsAtLimit {
                await transport.waitForStages(.waiting)
                clock.advance(by: .seconds(30))
            }
            _ = await call.value
            return sink.recorder.events.compactMap { event in
                switch event.kind {
                case .attemptEnded(let end): .some(end.connection)
                case .exchanged(let timings): .some(timings.connection)
                default: nil
                }
            }
        }
        let port = Int(server.port)
        let expected = ConnectionInfo(version: .http1_1, address: "127.0.0.1", port: port)
        #expect(try await connections(server.url + "/good") == [expected, expected])
        let failed = try await connections(server.url + "/bad", endsAtLimit: true)
        #expect(failed.count == 2)
        for connection in failed {
            #expect(connection?.address == "127.0.0.1" && connection?.port == port)
        }
        let refused = try await connections("http://127.0.0.1:\(FaultServer.unusedPort())/")
        #expect(refused == [nil, nil])
        #expect(try await connections(server.url + "/good", .exchanges) == [expected])
    }

    private final class SelectiveRecorder: RequestEventSink {
        let interests: EventInterests
        let recorder = EventRecorder()
        init(_ interests: EventInterests) { self.interests = interests }
        func record(_ event: borrowing RequestEvent) { recorder.record(event) }
    }

    /// The server has seen the first attempt: that the second was refused does not undo it.
    @Test func whatMayHaveBeenSentStaysSo() async throws {
        let holder = Locked<FaultServer?>(nil)
        let server = FaultServer { connection in
            _ = connection.readRequest()
            holder.withLock { $0 }?.stop()
        }
        holder.withLock { $0 = server }
        defer { holder.withLock { $0 = nil } }
        let engine = engine(CurlTransport(), attempts: 2)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, server.url))
        }
        #expect(error?.attempts == 2 && error?.mayHaveBeenSent == true, "\(String(describing: error))")
        #expect(server.requests.count == 1)
    }

    /// What never gets a connection is not an attempt, however often it is tried.
    @Test func aFullQueueIsNoAttempt() async throws {
        let gate = ThreadGate()
        let server = FaultServer { _ in
            gate.wait()
            return ok()
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.waitingLimit = 0
        }
        let url = server.url
        let busy = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await eventually { !server.requests.isEmpty }
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(try HTTPRequest(.get, url))
        }
        #expect(error?.code == .overloaded && error?.phase == .queue && error?.attempts == 0)
        #expect(
            error?.description
                == "overloaded at \(url) (queue): 0 requests already wait for a connection (waitingLimit): send fewer "
                + "requests at a time.")
        gate.open()
        #expect(await busy.value == nil)
    }

    /// The deadline ends the second attempt; the error says so.
    @Test func theDeadlineNamesTheAttempt() async throws {
        let server = FaultServer { connection in
            guard connection.readRequest() != nil else { return }
            if connection.number == 1 {
                connection.write(ok(status: "503 Service Unavailable", fields: "Connection: close\r\n"))
            } else {
                connection.waitForClose()
            }
        }
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport { $0.clock = clock }
        let engine = engine(transport, clock: clock)
        let request = try HTTPRequest(.get, server.url)
        let call = Task {
            await failure { () throws(NetworkError) in
                try await engine.send(request, options: CallOptions(deadline: .milliseconds(400)))
            }
        }
        await eventually { server.requests.count == 2 }
        clock.advance(by: .milliseconds(400))
        let error = await call.value
        #expect(error?.code == .timeout && error?.limit == .call && error?.attempts == 2)
        #expect(
            error?.description
                == "timeout (firstByte) after 2 attempts: The call's deadline of 400 ms passed while waiting for the first "
                + "byte of the response from 127.0.0.1:\(server.port).")
    }
}
