import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// The limits of time, on a clock that the test moves: each passes at its instant and not before.
@Suite(.tags(.concurrent), .timeLimit(.minutes(2))) struct TimeoutTests {
    /// What a server does, and in which phase a client's patience ends.
    enum Silence: CaseIterable, CustomTestStringConvertible {
        case noAccept, noHandshake, noAnswer, halfHeader, halfBody

        var phase: NetworkError.Phase {
            switch self {
            case .noAccept: .connect
            case .noHandshake: .tls
            case .noAnswer: .firstByte
            case .halfHeader, .halfBody: .receive
            }
        }
        /// What the exchange is doing when nothing more comes.
        var stage: TransferTiming.Stage {
            switch self {
            case .noAccept, .noHandshake: .connecting
            case .noAnswer: .waiting
            case .halfHeader, .halfBody: .receiving
            }
        }
        /// The limit that passes. No two are equal.
        var limit: Duration {
            switch stage {
            case .connecting: .milliseconds(150)
            case .waiting: .milliseconds(160)
            default: .milliseconds(170)
            }
        }
        /// What the error says.
        func message(_ server: String) -> String {
            switch self {
            case .noAccept: "No connection to \(server) within 150 ms (timeouts.connect)."
            case .noHandshake:
                "No TLS session with \(server) within 150 ms (timeouts.connect): check that the port speaks TLS."
            case .noAnswer: "No response from \(server) within 160 ms (timeouts.firstByte)."
            case .halfHeader, .halfBody:
                "No more data of the response from \(server) for 170 ms (timeouts.read)."
            }
        }
        var bytes: String {
            switch self {
            case .noAccept, .noHandshake, .noAnswer: ""
            case .halfHeader: "HTTP/1.1 200 OK\r\nServer: slo"
            case .halfBody: "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"
            }
        }
        var testDescription: String { "\(phase) \(bytes.count)" }
    }

    private func silentServer(
        _ silence: Silence, isSilent: Latch = Latch()
    ) -> (FaultServer, url: String, [Int32]) {
        guard silence != .noAccept else {
            // A listener whose backlog is full drops what else wants to connect.
            let server = FaultServer(backlog: 0)
            isSilent.open()
            return (server, server.url, (0..<4).map { _ in Self.connect(to: server.port) })
        }
        let server = FaultServer { connection in
            if silence == .noHandshake {
                _ = connection.readBytes(1)
            } else {
                _ = connection.readRequest()
            }
            connection.write(silence.bytes)
            isSilent.open()
            connection.waitForClose()
        }
        return (
            server, silence == .noHandshake ? server.url.replacing("http:", with: "https:") : server.url, []
        )
    }

    private static func connect(to port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    /// Sub-second limits hold, each in its phase, and at its instant.
    @Test(arguments: Silence.allCases)
    func eachPhaseHasItsLimit(silence: Silence) async throws {
        let (clock, isSilent) = (ManualClock(), Latch())
        let (server, url, fillers) = silentServer(silence, isSilent: isSilent)
        defer {
            server.stop()
            for filler in fillers { close(filler) }
        }
        let transport = transport {
            $0.clock = clock
            $0.timeouts = .init(
                queue: .seconds(20), connect: .milliseconds(150), firstByte: .milliseconds(160),
                read: .milliseconds(170), write: .milliseconds(140), whole: .seconds(20))
        }
        let call = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await isSilent.wait()
        await transport.waitForStages(silence.stage)
        clock.advance(by: silence.limit - .milliseconds(1))
        await transport.settle()
        #expect(await transport.stages() == [silence.stage], "it has not passed yet")
        clock.advance(by: .milliseconds(1))
        await transport.waitForStages()
        // Whatever limit it has instead.
        clock.advance(by: .seconds(60))
        let error = await call.value
        #expect(error?.code == .timeout)
        #expect(error?.phase == silence.phase, "\(String(describing: error))")
        #expect(error?.message == silence.message("127.0.0.1:\(server.port)") && error?.attempts == 1)
        #expect(error?.mayHaveBeenSent == (silence != .noAccept && silence != .noHandshake))
    }

    @Test(arguments: [Silence.noAnswer, .halfBody])
    func theWholeExchangeAndTheCallHaveLimits(silence: Silence) async throws {
        let clock = ManualClock()
        let (server, url, _) = silentServer(silence)
        defer { server.stop() }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.whole = .milliseconds(200)
        }
        /// The error of a call whose limit passes after a time.
        func error(after limit: Duration, deadline: Duration? = nil) async -> NetworkError? {
            let call = Task {
                await failure { () throws(NetworkError) in
                    try await transport.send(.get, url, deadline: deadline, clock: clock)
                }
            }
            await transport.waitForStages(silence.stage)
            clock.advance(by: limit - .milliseconds(1))
            await transport.settle()
            #expect(await transport.stages() == [silence.stage], "it has not passed yet")
            clock.advance(by: .milliseconds(1))
            await transport.waitForStages()
            // Whatever limit it has instead.
            clock.advance(by: .seconds(60))
            return await call.value
        }
        let whole = await error(after: .milliseconds(200))
        let phase: NetworkError.Phase = silence == .noAnswer ? .firstByte : .receive
        #expect(whole?.code == .timeout && whole?.limit == .attempt && whole?.phase == phase)
        let waiting =
            silence == .noAnswer
            ? "waiting for the first byte of the response from 127.0.0.1:\(server.port)"
            : "receiving the response from 127.0.0.1:\(server.port)"
        #expect(
            whole?.message
                == "The attempt did not finish within 200 ms (timeouts.whole): time ran out while \(waiting)."
        )
        let call = await error(after: .milliseconds(100), deadline: .milliseconds(100))
        #expect(call?.code == .timeout && call?.limit == .call && call?.mayHaveBeenSent == true)
        #expect(call?.phase == phase)
        #expect(call?.message == "The call's deadline of 100 ms passed while \(waiting).")
        #expect(call?.attempts == 1)
    }

    /// Waiting in our own queue counts against the queue's limit and against the call's deadline.
    @Test func queueingHasALimit() async throws {
        let (clock, isReceived) = (ManualClock(), Latch())
        let (server, url, _) = silentServer(.noAnswer, isSilent: isReceived)
        defer { server.stop() }
        let transport = transport {
            $0.clock = clock
            $0.connectionsPerOrigin = 1
            $0.timeouts.queue = .milliseconds(200)
            $0.timeouts.firstByte = .seconds(2)
        }
        func call(deadline: Duration? = nil) -> Task<NetworkError?, Never> {
            Task {
                await failure { () throws(NetworkError) in
                    try await transport.send(.get, url, deadline: deadline, clock: clock)
                }
            }
        }
        let first = call()
        await isReceived.wait()
        await transport.waitForStages(.waiting)
        let (queued, hurried) = (call(), call(deadline: .milliseconds(50)))
        await transport.waitForStages(.waiting, .queued, .queued)
        clock.advance(by: .milliseconds(50))
        await transport.waitForStages(.waiting, .queued)
        clock.advance(by: .milliseconds(149))
        await transport.settle()
        #expect(await transport.stages().count == 2)
        clock.advance(by: .milliseconds(1))
        await transport.waitForStages(.waiting)
        let (second, third) = await (queued.value, hurried.value)
        #expect(second?.code == .overloaded && second?.limit == .queue && second?.mayHaveBeenSent == false)
        #expect(second?.phase == .queue && third?.phase == .queue)
        #expect(third?.code == .timeout && third?.limit == .call && third?.mayHaveBeenSent == false)
        #expect(second?.attempts == 0 && third?.attempts == 0)
        let peer = "127.0.0.1:\(server.port)"
        #expect(
            second?.message.hasPrefix(
                "No connection to \(peer) became free within 200 ms (timeouts.queue):") == true)
        #expect(
            third?.message
                == "The call's deadline of 50 ms passed while waiting for a free connection to \(peer).")
        clock.advance(by: .seconds(2))
        #expect(await first.value?.phase == .firstByte)
        #expect(server.requests.count == 1)
    }

    @Test func aDeadlineThatHasPassedSendsNothing() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.get, server.url, deadline: .zero)
        }
        #expect(error?.code == .timeout && error?.limit == .call && error?.mayHaveBeenSent == false)
        #expect(error?.phase == .queue)
        #expect(error?.attempts == 0)
        #expect(
            error?.message
                == "The call's deadline of 0 ms passed before the request to 127.0.0.1:\(server.port) was sent."
        )
        #expect(server.connectionCount == 0)
    }

    /// A response that keeps coming takes longer than the read limit and is none the worse for it.
    @Test func progressExtendsTheReadLimit() async throws {
        let (clock, next, written) = (ManualClock(), DispatchSemaphore(value: 0), Tally())
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            for _ in 0..<5 {
                connection.write("x")
                written.add()
                next.wait()
            }
        }
        defer {
            for _ in 0..<5 { next.signal() }
            server.stop()
        }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.read = .milliseconds(150)
        }
        let url = server.url
        let call = Task { try await transport.send(.get, url).text }
        for count in 1..<5 {
            await eventually { written.count == count }
            await transport.settle()
            // Two pauses are longer than the limit.
            clock.advance(by: .milliseconds(100))
            await transport.settle()
            next.signal()
        }
        #expect(try await call.value == "xxxxx")
    }

    /// A server that takes nothing of a large body.
    @Test func aServerThatReadsNothingIsNamed() async throws {
        let (clock, gate) = (ManualClock(), ThreadGate())
        let server = FaultServer { _ in gate.wait() }
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.write = .milliseconds(150)
            $0.timeouts.whole = .seconds(10_000)
        }
        let url = server.url
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(.post, url, body: .bytes([UInt8](repeating: 0, count: 32 << 20)))
            }
        }
        await transport.waitForStages(.sending)
        // Each piece that the system still takes extends the limit.
        await eventually {
            clock.advance(by: .milliseconds(150))
            await transport.settle()
            return await transport.stages().isEmpty
        }
        let error = await call.value
        #expect(error?.code == .timeout && error?.phase == .send && error?.attempts == 1)
        #expect(
            error?.message
                == "127.0.0.1:\(server.port) accepted no data of the request body for 150 ms (timeouts.write)."
        )
    }

    /// The producer's pauses are its own: they count neither as write nor as read idle time.
    @Test func aPausedProducerIsNotIdle() async throws {
        let (clock, first) = (ManualClock(), Latch())
        let server = FaultServer { connection in
            guard connection.readHead() != nil, connection.readBytes(6) == Array("1\r\n\u{1}\r\n".utf8) else {
                return
            }
            first.open()
            let rest = connection.readBytes(11) ?? []
            connection.write(ok(rest == Array("1\r\n\u{2}\r\n0\r\n\r\n".utf8) ? "whole" : "other"))
        }
        defer { server.stop() }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.write = .milliseconds(50)
            $0.timeouts.firstByte = .milliseconds(50)
            $0.timeouts.read = .milliseconds(50)
            $0.timeouts.whole = .seconds(20)
        }
        let late = Latch()
        let body = HTTPBody.replayable {
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                continuation.yield([1])
                Task {
                    await late.wait()
                    continuation.yield([2])
                    continuation.finish()
                }
            }
        }
        let url = server.url
        let call = Task { try await transport.send(.post, url, body: body).text }
        // Before the first chunk the upload waits for the producer as well.
        await first.wait()
        await transport.waitForStages(.producing)
        clock.advance(by: .seconds(19))
        await transport.settle()
        #expect(await transport.stages() == [.producing])
        late.open()
        #expect(try await call.value == "whole")
    }

    /// A deadline that passes while the program produces the body, or does not read the response, says so: the server is
    /// not late.
    @Test func aProgramThatIsLateIsNamed() async throws {
        let (clock, first, never) = (ManualClock(), Latch(), Latch())
        defer { never.open() }
        let body = HTTPBody.replayable {
            AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
                continuation.yield([1])
                Task {
                    await never.wait()
                    continuation.finish()
                }
            }
        }
        let upload = FaultServer { connection in
            _ = connection.readHead()
            _ = connection.readBytes(6)
            first.open()
            connection.waitForClose()
        }
        defer { upload.stop() }
        let transport = transport { $0.clock = clock }
        let url = upload.url
        let call = Task {
            await failure { () throws(NetworkError) in
                try await transport.send(.post, url, body: body, deadline: .seconds(2), clock: clock)
            }
        }
        await first.wait()
        await transport.waitForStages(.producing)
        clock.advance(by: .seconds(2))
        var error = await call.value
        #expect(error?.code == .timeout && error?.phase == .produce && error?.limit == .call)

        let server = FaultServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
            connection.writeEndlessly()
        }
        defer { server.stop() }
        var iterator = try await transport.stream(.get, server.url, deadline: .seconds(2), clock: clock)
            .body.makeAsyncIterator()
        _ = try await iterator.next()
        await transport.waitForStages(.consuming)
        clock.advance(by: .seconds(2))
        await transport.waitForStages()
        error = await failure { () throws(NetworkError) in
            while try await iterator.next() != nil {}
            return 0
        }
        #expect(error?.code == .timeout && error?.phase == .consume && error?.limit == .call)
    }
}
