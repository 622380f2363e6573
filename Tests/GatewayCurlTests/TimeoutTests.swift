import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

@Suite struct TimeoutTests {
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
        /// What the error says, of a server and a limit of 150 ms.
        func message(_ server: String) -> String {
            switch self {
            case .noAccept: "No connection to \(server) within 150 ms (timeouts.connect)."
            case .noHandshake:
                "No TLS session with \(server) within 150 ms (timeouts.connect): check that the port speaks TLS."
            case .noAnswer: "No response from \(server) within 150 ms (timeouts.firstByte)."
            case .halfHeader, .halfBody:
                "No more data of the response from \(server) for 150 ms (timeouts.read)."
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

    private func silentServer(_ silence: Silence) -> (FaultServer, url: String, [Int32]) {
        guard silence != .noAccept else {
            // A listener whose backlog is full drops what else wants to connect.
            let server = FaultServer(backlog: 0)
            return (server, server.url, (0..<4).map { _ in Self.connect(to: server.port) })
        }
        let server = FaultServer { connection in
            if silence != .noHandshake { _ = connection.readRequest() }
            connection.write(silence.bytes)
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

    /// Sub-second limits hold, each in its phase.
    @Test(arguments: Silence.allCases)
    func eachPhaseHasItsLimit(silence: Silence) async throws {
        let (server, url, fillers) = silentServer(silence)
        defer {
            server.stop()
            for filler in fillers { close(filler) }
        }
        let limit = Duration.milliseconds(150)
        let transport = transport {
            $0.timeouts = .init(
                queue: .seconds(20), connect: limit, firstByte: limit, read: limit, write: limit,
                whole: .seconds(20))
        }
        let start = ContinuousClock.now
        let error = await failure { () throws(NetworkError) in try await transport.send(.get, url) }
        let elapsed = ContinuousClock.now - start
        #expect(error?.code == .timeout)
        #expect(error?.phase == silence.phase, "\(String(describing: error))")
        #expect(error?.message == silence.message("127.0.0.1:\(server.port)") && error?.attempts == 1)
        #expect(error?.mayHaveBeenSent == (silence != .noAccept && silence != .noHandshake))
        #expect(elapsed >= limit && elapsed < .seconds(10))
    }

    @Test(arguments: [Silence.noAnswer, .halfBody])
    func theWholeExchangeAndTheCallHaveLimits(silence: Silence) async throws {
        let (server, url, _) = silentServer(silence)
        defer { server.stop() }
        let transport = transport { $0.timeouts.whole = .milliseconds(200) }
        let whole = await failure { () throws(NetworkError) in try await transport.send(.get, url) }
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
        let call = await failure { () throws(NetworkError) in
            try await transport.send(.get, url, deadline: .milliseconds(100))
        }
        #expect(call?.code == .timeout && call?.limit == .call && call?.mayHaveBeenSent == true)
        #expect(call?.phase == phase)
        #expect(call?.message == "The call's deadline of 100 ms passed while \(waiting).")
        #expect(call?.attempts == 1)
    }

    /// Waiting in our own queue counts against the queue's limit and against the call's deadline.
    @Test func queueingHasALimit() async throws {
        let (server, url, _) = silentServer(.noAnswer)
        defer { server.stop() }
        let transport = transport {
            $0.connectionsPerOrigin = 1
            $0.timeouts.queue = .milliseconds(200)
            $0.timeouts.firstByte = .seconds(2)
        }
        async let first = failure { () throws(NetworkError) in try await transport.send(.get, url) }
        await eventually { server.connectionCount > 0 }
        async let queued = failure { () throws(NetworkError) in try await transport.send(.get, url) }
        async let hurried = failure { () throws(NetworkError) in
            try await transport.send(.get, url, deadline: .milliseconds(50))
        }
        let (second, third) = await (queued, hurried)
        #expect(second?.code == .timeout && second?.limit == .queue && second?.mayHaveBeenSent == false)
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
        #expect(await first?.phase == .firstByte)
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
        let pause = Latch()
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n")
            // Longer than the limit in all; each pause is a fifteenth of it, since a machine that is busy prolongs it.
            for _ in 0..<16 {
                usleep(100_000)
                connection.write("x")
            }
            pause.open()
        }
        defer { server.stop() }
        let transport = transport { $0.timeouts.read = .milliseconds(1_500) }
        #expect(try await transport.send(.get, server.url).text == String(repeating: "x", count: 16))
        await pause.wait()
    }

    /// A server that takes nothing of a large body.
    @Test func aServerThatReadsNothingIsNamed() async throws {
        let gate = ThreadGate()
        let server = FaultServer { _ in gate.wait() }
        defer {
            gate.open()
            server.stop()
        }
        let transport = transport { $0.timeouts.write = .milliseconds(150) }
        let error = await failure { () throws(NetworkError) in
            try await transport.send(
                .post, server.url, body: .bytes([UInt8](repeating: 0, count: 32 << 20)))
        }
        #expect(error?.code == .timeout && error?.phase == .send && error?.attempts == 1)
        #expect(
            error?.message
                == "127.0.0.1:\(server.port) accepted no data of the request body for 150 ms (timeouts.write)."
        )
    }

    /// The producer's pauses are its own: they count neither as write nor as read idle time.
    @Test func aPausedProducerIsNotIdle() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = transport {
            $0.timeouts.write = .milliseconds(50)
            $0.timeouts.whole = .seconds(20)
        }
        let late = Latch()
        Thread.detachNewThread {
            usleep(300_000)
            late.open()
        }
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
        #expect(try await transport.send(.post, server.url, body: body).status == 200)
        #expect(server.requests.first?.body == [1, 2])
    }

    /// A deadline that passes while the program produces the body, or does not read the response, says so: the server is
    /// not late.
    @Test func aProgramThatIsLateIsNamed() async throws {
        let server = FaultServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
            for _ in 0..<64 {
                connection.write(String(repeating: "x", count: 1 << 20))
            }
        }
        defer { server.stop() }
        let never = Latch()
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
            connection.waitForClose()
        }
        defer { upload.stop() }
        var error = await failure { () throws(NetworkError) in
            try await CurlTransport().send(.post, upload.url, body: body, deadline: .milliseconds(200))
        }
        #expect(error?.code == .timeout && error?.phase == .produce && error?.limit == .call)
        // The first piece comes before the deadline, also on a machine that is busy.
        let deadline = ContinuousClock.now + RealTime.limit(.seconds(1))
        var iterator = try await CurlTransport().stream(
            .get, server.url, deadline: RealTime.limit(.seconds(1))
        ).body.makeAsyncIterator()
        _ = try await iterator.next()
        while ContinuousClock.now < deadline + .milliseconds(100) { await elapse(milliseconds: 50) }
        error = await failure { () throws(NetworkError) in
            while try await iterator.next() != nil {}
            return 0
        }
        #expect(error?.code == .timeout && error?.phase == .consume && error?.limit == .call)
    }
}
