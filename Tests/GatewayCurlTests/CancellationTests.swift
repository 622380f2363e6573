import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct CancellationTests {
    @Test func aCancelledTaskSendsNothing() async throws {
        let server = FaultServer { request in ok(request.line) }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        for _ in 0..<20 {
            let begun = Latch()
            let task = Task { () async -> NetworkError? in
                await begun.wait()
                return await failure { () throws(NetworkError) in
                    // Not even the file is looked for.
                    try await transport.send(.post, url + "/cancelled", body: .file("/nonexistent"))
                }
            }
            task.cancel()
            begun.open()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false && error?.attempts == 0)
        }
        #expect(server.connectionCount == 0)
        #expect(await transport.statistics().all == .init())
        // Nothing is held: the only connection is still free, and nothing comes before this request.
        #expect(try await transport.send(.get, url).text == "GET / HTTP/1.1")
        #expect(server.requests.count == 1)
    }

    /// A request that is cancelled before the loop has taken it ends at once, whatever the loop does.
    @Test func aRequestThatTheLoopHasNotTakenIsCancelled() async throws {
        let server = FaultServer { request in ok(request.line) }
        defer { server.stop() }
        let transport = CurlTransport()
        let url = server.url
        let blocker = LoopBlocker()
        let blocking = Task {
            var context = RequestContext()
            context.events = blocker
            return try await transport.send(try HTTPRequest(.get, url + "/first"), context: context).status
        }
        await blocker.waitUntilBlocked()
        let call = Task {
            await failure { () throws(NetworkError) in try await transport.send(.get, url + "/cancelled") }
        }
        await eventually { transport.isCalled }
        call.cancel()
        let error = await call.value
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false && error?.attempts == 0)
        blocker.goOn()
        #expect(try await blocking.value == 200)
        #expect(try await transport.send(.get, url + "/after").status == 200)
        #expect(server.requests.map(\.line) == ["GET /first HTTP/1.1", "GET /after HTTP/1.1"])
        #expect(await transport.statistics().all.active == 0)
    }

    @Test func aQueuedRequestIsCancelled() async throws {
        let gate = ThreadGate()
        let server = FaultServer { request in
            if request.line.contains("/first") { gate.wait() }
            return ok()
        }
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        let first = Task { try await transport.send(.get, url + "/first").status }
        await transport.waitForStages(.waiting)
        let queued = Task {
            await failure { () throws(NetworkError) in try await transport.send(.get, url + "/queued") }
        }
        await transport.waitForStages(.waiting, .queued)
        queued.cancel()
        let error = await queued.value
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false && error?.attempts == 0)
        #expect(await transport.stages() == [.waiting])
        gate.open()
        #expect(try await first.value == 200)
        // It would come before this one.
        #expect(try await transport.send(.get, url + "/after").status == 200)
        #expect(server.requests.map(\.line) == ["GET /first HTTP/1.1", "GET /after HTTP/1.1"])
    }

    @Test func aRequestOnTheWireIsCancelled() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let url = server.url
        let call = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await transport.waitForStages(.waiting)
        await eventually { !server.requests.isEmpty }
        call.cancel()
        let error = await call.value
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == true && error?.attempts == 1)
        #expect(error?.phase == .firstByte)
    }

    /// Cancels at every stage under load; whatever happens each call ends once, and the transport works on.
    @Test func cancellingAtRandomStages() async throws {
        let server = FaultServer { request in ok(request.line) }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 4 }
        let url = server.url
        let count = SoakScale.rounds(90)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    let task = Task {
                        await failure { () throws(NetworkError) in
                            let response = try await transport.send(.get, url + "/\(number)")
                            #expect(response.text.hasPrefix("GET /\(number) "))
                        }
                    }
                    for _ in 0..<(number % 40) { await Task.yield() }
                    if number % 3 != 0 { task.cancel() }
                    let error = await task.value
                    #expect(error == nil || error?.code == .cancelled)
                    return error == nil
                }
            }
            var done = 0
            for await isDone in group where isDone { done += 1 }
            return done
        }
        #expect(outcomes >= count / 3)
        for _ in 0..<8 { #expect(try await transport.send(.get, url).status == 200) }
    }

    @Test func shuttingDownResolvesEveryWaiterOnce() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 4 }
        let url = server.url
        let codes = await withTaskGroup(of: NetworkError.Code?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await failure { () throws(NetworkError) in try await transport.send(.get, url) }?.code
                }
            }
            await eventually { server.requests.count >= 4 }
            await transport.shutdown()
            var codes: [NetworkError.Code?] = []
            for await code in group { codes.append(code) }
            return codes
        }
        #expect(codes == [NetworkError.Code?](repeating: .closed, count: 50))
        #expect(
            await failure { () throws(NetworkError) in try await transport.send(.get, url) }?.code == .closed)
        await transport.shutdown()
        transport.dropIdleConnections()
    }

    /// Whenever they are cancelled (before they begin, in the queue, on the wire, while the response comes), requests give back
    /// what they hold: afterwards as many are on the wire at once as before, and no more.
    @Test func cancelledRequestsLeaveNoPermitBehind() async throws {
        let permits = 3
        let gate = ThreadGate()
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                if request.line.contains("/hold") { return connection.waitForClose() }
                if request.line.contains("/begin") {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\nx")
                    return connection.waitForClose()
                }
                gate.wait()
                connection.write(ok())
            }
        }
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport { $0.connectionsPerOrigin = permits }
        let url = server.url
        for (path, stage) in [("/hold", TransferTiming.Stage.waiting), ("/begin", .receiving)] {
            func call() -> Task<NetworkError?, Never> {
                Task {
                    await failure { () throws(NetworkError) in try await transport.send(.get, url + path) }
                }
            }
            let tasks = (0..<5).map { _ in call() }
            await transport.waitForStages(stage, stage, stage, .queued, .queued)
            // Some are cancelled before they begin.
            let others = (0..<3).map { _ in call() }
            for task in others + tasks { task.cancel() }
            for task in others + tasks { #expect(await task.value?.code == .cancelled) }
            await transport.waitForStages()
            #expect(await transport.statistics().all.active == 0)
            #expect(await transport.statistics().all.waiting == 0)
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0...permits {
                group.addTask { try await transport.send(.get, url + "/together").status }
            }
            await transport.waitForStages(.waiting, .waiting, .waiting, .queued)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        await transport.shutdown()
    }

    /// A transport that is released ends its thread, whether it has made a request or not.
    @Test func transportsThatNobodyHoldsGoAway() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let before = ProcessState.loopThreads
        for _ in 0..<10 { #expect(try await CurlTransport().send(.get, server.url).status == 200) }
        for _ in 0..<10 { _ = CurlTransport() }
        await eventually { ProcessState.loopThreads <= before }
    }

    @Test func aFullQueueRefuses() async throws {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.waitingLimit = 0
        }
        let url = server.url
        let first = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await eventually { !server.requests.isEmpty }
        let error = await failure { () throws(NetworkError) in try await transport.send(.get, url) }
        #expect(error?.code == .overloaded && error?.phase == .queue && error?.mayHaveBeenSent == false)
        first.cancel()
        _ = await first.value
    }
}
