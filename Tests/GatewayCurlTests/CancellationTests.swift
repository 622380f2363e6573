import GatewayCore
import GatewayCurl
import Testing

@Suite struct CancellationTests {
    @Test func aCancelledTaskSendsNothing() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        for _ in 0..<50 {
            let begun = Latch()
            let task = Task { () async -> NetworkError? in
                await begun.wait()
                return await failure { () throws(NetworkError) in try await transport.send(.get, url) }
            }
            task.cancel()
            begun.open()
            let error = await task.value
            #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false && error?.attempts == 0)
        }
        #expect(server.connectionCount == 0)
        // Nothing is held: the one connection is still to be had.
        #expect(try await transport.send(.get, url).status == 200)
    }

    @Test func aQueuedRequestIsCancelled() async throws {
        let release = Latch()
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        let first = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await eventually { !server.requests.isEmpty }
        let queued = Task {
            await failure { () throws(NetworkError) in try await transport.send(.get, url + "/queued") }
        }
        for _ in 0..<200 { await Task.yield() }
        queued.cancel()
        let error = await queued.value
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == false)
        first.cancel()
        let onTheWire = await first.value
        #expect(
            onTheWire?.code == .cancelled && onTheWire?.mayHaveBeenSent == true && onTheWire?.attempts == 1)
        #expect(onTheWire?.phase == .firstByte)
        release.open()
        #expect(server.requests.count == 1)
    }

    /// Cancels at every stage under load; whatever happens each call ends once, and the transport works on.
    @Test func cancellingAtRandomStages() async throws {
        let server = FaultServer { request in ok(request.line) }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 4 }
        let url = server.url
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<600 {
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
        #expect(outcomes >= 200)
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

    /// Whenever they are cancelled (before they begin, in the queue, on the wire), requests give back what they hold:
    /// afterwards as many are on the wire at once as before.
    @Test func cancelledRequestsLeaveNoPermitBehind() async throws {
        let permits = 3
        let held = Locked(0)
        let together = Locked(0)
        let gate = ThreadGate()
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("/together") else {
                    held.withLock { $0 += 1 }
                    connection.waitForClose()
                    return
                }
                // None is answered before all are there.
                let count = together.withLock { together in
                    together += 1
                    return together
                }
                if count == permits { gate.open() }
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
        for _ in 0..<3 {
            let before = held.withLock { $0 }
            let tasks = (0..<20).map { _ in
                Task {
                    await failure { () throws(NetworkError) in try await transport.send(.get, url + "/hold") }
                }
            }
            // Some are cancelled at once, the others when the first are on the wire.
            for task in tasks[17...] { task.cancel() }
            let deadline = ContinuousClock.now + .seconds(20)
            while held.withLock({ $0 }) < before + permits, ContinuousClock.now < deadline {
                await Task.yield()
            }
            #expect(held.withLock { $0 } >= before + permits)
            for task in tasks { task.cancel() }
            for task in tasks { #expect(await task.value?.code == .cancelled) }
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<permits {
                group.addTask { try await transport.send(.get, url + "/together").status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(together.withLock { $0 } == permits)
        await transport.shutdown()
    }

    @Test func transportsThatNobodyHoldsGoAway() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        for _ in 0..<30 { #expect(try await CurlTransport().send(.get, server.url).status == 200) }
        for _ in 0..<30 { _ = CurlTransport() }
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
