import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import TestTiers
import Testing

/// What becomes of the connection of a response that is given up in its middle.
@Suite(.serialized, .tags(.concurrent), .timeLimit(.minutes(2))) struct DrainTests {
    /// Announces `length` bytes, sends `first` of them, and the rest when the gate says so.
    private static func server(
        length: Int, first: Int, rest: DispatchSemaphore?, begun: Latch? = nil
    ) -> FaultServer {
        FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("large") else {
                    connection.write(ok())
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
                connection.write(pattern(0..<first))
                begun?.open()
                guard let rest else { return connection.waitForClose() }
                rest.wait()
                connection.write(pattern(first..<length))
            }
        }
    }

    /// Begins to read a response, and gives it up.
    private static func giveUp(
        _ transport: CurlTransport, _ url: String, context: RequestContext = RequestContext()
    ) async throws {
        var context = context
        context.response = .stream
        let response = try await transport.send(try HTTPRequest(.get, url), context: context)
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
    }

    @Test(arguments: [1, 10_000, 64 << 10])
    func theConnectionIsKeptWhereLittleIsLeft(left: Int) async throws {
        let rest = DispatchSemaphore(value: 0)
        let server = Self.server(length: 1000 + left, first: 1000, rest: rest)
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        for round in 1...3 {
            try await Self.giveUp(transport, server.url + "/large", context: context)
            // The caller is back though the server has sent nothing more.
            rest.signal()
            #expect(try await transport.send(.get, server.url).text == "ok")
            #expect(server.connectionCount == 1)
            #expect(recorder.events.count == round)
        }
    }

    @Test func aGatheredResponseIsDrainedAsWell() async throws {
        let (rest, begun) = (DispatchSemaphore(value: 0), Latch())
        let server = Self.server(length: 2000, first: 1000, rest: rest, begun: begun)
        let other = FaultServer { connection in
            while connection.readRequest() != nil { connection.write(ok()) }
        }
        defer {
            server.stop()
            other.stop()
        }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        let call = Task {
            await failure { () throws(NetworkError) in try await transport.send(.get, url + "/large") }
        }
        await begun.wait()
        await eventually { server.unreadBytes == 0 }
        // The loop that has read them has finished its turn, too.
        #expect(try await transport.send(.get, other.url).status == 200)
        call.cancel()
        let error = await call.value
        #expect(error?.code == .cancelled && error?.mayHaveBeenSent == true && error?.phase == .receive)
        rest.signal()
        #expect(try await transport.send(.get, url).text == "ok")
        #expect(server.connectionCount == 1)
    }

    @Test func aPausedStreamIsDrained() async throws {
        let (content, isSent) = (pattern(0..<Self.window + 40_000), Latch())
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("large") else {
                    connection.write(ok())
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
                connection.write(content)
                isSent.open()
            }
        }
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        do {
            // Nobody reads: the window fills, and less than 64 KiB stay where they are.
            let response = try await transport.stream(.get, server.url + "/large")
            await isSent.wait()
            await eventually { server.unreadBytes <= 40_000 }
            withExtendedLifetime(response) {}
        }
        #expect(try await transport.send(.get, server.url).text == "ok")
        #expect(server.connectionCount == 1)
    }

    private static let window = 256 << 10

    @Test func theConnectionIsGivenUpWhereMuchIsLeft() async throws {
        let server = Self.server(length: 1001 + 64 << 10, first: 1000, rest: nil)
        defer { server.stop() }
        // The clock stands still: nothing is waited for.
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.clock = ManualClock()
        }
        try await Self.giveUp(transport, server.url + "/large")
        #expect(try await transport.send(.get, server.url).text == "ok")
        #expect(server.connectionCount == 2)
    }

    /// Chunks tell nothing of how many are to come.
    @Test func theConnectionIsGivenUpWhereNobodyKnowsWhatIsLeft() async throws {
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                guard request.line.contains("chunks") else {
                    connection.write(ok())
                    continue
                }
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
                return connection.waitForClose()
            }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.clock = ManualClock()
        }
        try await Self.giveUp(transport, server.url + "/chunks")
        #expect(try await transport.send(.get, server.url).text == "ok")
        #expect(server.connectionCount == 2)
    }

    /// A server that stalls holds the connection for half a second.
    @Test func aStalledDrainIsGivenUp() async throws {
        let server = Self.server(length: 2000, first: 1000, rest: nil)
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.clock = clock
        }
        let url = server.url
        try await Self.giveUp(transport, url + "/large")
        let next = Task { try await transport.send(.get, url).text }
        await transport.waitForStatistics { $0.all.waiting == 1 }
        clock.advance(by: .milliseconds(499))
        await transport.settle()
        #expect(server.connectionCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await next.value == "ok")
        #expect(server.connectionCount == 2)
    }

    /// The deadline of the call that was given up does not end what is done for the next one.
    @Test func theCallsLimitsAreNotTheDrains() async throws {
        let rest = DispatchSemaphore(value: 0)
        let server = Self.server(length: 2000, first: 1000, rest: rest)
        defer { server.stop() }
        let clock = ManualClock()
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.clock = clock
        }
        let options = CallOptions(deadline: .milliseconds(150))
        try await Self.giveUp(
            transport, server.url + "/large", context: RequestContext(options: options, clock: clock))
        await transport.settle()
        clock.advance(by: .milliseconds(200))
        await transport.settle()
        rest.signal()
        #expect(try await transport.send(.get, server.url).text == "ok")
        #expect(server.connectionCount == 1)
    }

    @Test func shuttingDownEndsADrain() async throws {
        let server = Self.server(length: 2000, first: 1000, rest: nil)
        defer { server.stop() }
        let transport = transport { $0.connectionsPerOrigin = 1 }
        let url = server.url
        try await Self.giveUp(transport, url + "/large")
        let queued = Task {
            await failure { () throws(NetworkError) in try await transport.send(.get, url) }
        }
        await transport.shutdown()
        #expect(await queued.value?.code == .closed)
    }

    /// Gives up at every stage, under load: nothing hangs, no answer reaches another call, and no connection is lost
    /// for good.
    @Test func givingUpAtRandomStages() async throws {
        let server = FaultServer { connection in
            while let request = connection.readRequest() {
                let length = Int(request.line.split(separator: " ")[1].dropFirst()) ?? 0
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
                connection.write([UInt8](repeating: UInt8(length % 251), count: length))
            }
        }
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 4
            $0.clock = ManualClock()
        }
        let url = server.url
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<SoakScale.rounds(100) {
                group.addTask {
                    let length = number % 7 * 20_011
                    let task = Task { () async -> NetworkError? in
                        await failure { () throws(NetworkError) in
                            guard number % 2 == 0 else {
                                let response = try await transport.send(.get, url + "/\(length)")
                                #expect(response.body.bytes?.count ?? 0 == length)
                                return
                            }
                            let response = try await transport.stream(.get, url + "/\(length)")
                            for try await chunk in response.body {
                                #expect(chunk.allSatisfy { $0 == UInt8(length % 251) })
                                if number % 6 == 1 { break }
                            }
                        }
                    }
                    for _ in 0..<(number % 60) { await Task.yield() }
                    if number % 3 != 0 { task.cancel() }
                    let error = await task.value
                    #expect(error == nil || error?.code == .cancelled)
                }
            }
        }
        for _ in 0..<8 { #expect(try await transport.send(.get, url + "/9").body.bytes?.count == 9) }
    }
}
