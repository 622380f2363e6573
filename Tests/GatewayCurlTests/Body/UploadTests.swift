import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct UploadTests {
    private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func chunks(of size: Int) -> HTTPBody.Chunks {
        let bytes = bytes
        return AsyncThrowingStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: size) {
                continuation.yield(bytes[start..<min(start + size, bytes.count)])
            }
            continuation.finish()
        }
    }

    @Test(arguments: [1, 1_000, 65_535, 65_536, 300_000])
    func bytesArrive(count: Int) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let part = Array(bytes[..<count])
        _ = try await CurlTransport().send(.post, server.url, body: .bytes(part))
        #expect(server.requests.first?.body == part)
        #expect(server.requests.first?.value("content-length") == "\(count)")
    }

    @Test(arguments: [7_777, 300_000, 1_000_000], [true, false])
    func streamsArrive(chunkSize: Int, knowsLength: Bool) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let length = knowsLength ? Int64(bytes.count) : nil
        let transport = CurlTransport()
        let chunks = chunks(of: chunkSize)
        _ = try await transport.send(.put, server.url, body: .once(length: length, chunks))
        let again = HTTPBody.replayable(length: length) { self.chunks(of: chunkSize) }
        for _ in 0..<2 { _ = try await transport.send(.post, server.url, body: again) }
        #expect(server.requests.count == 3)
        for request in server.requests {
            #expect(request.body == bytes)
            #expect(request.value("transfer-encoding") == (knowsLength ? nil : "chunked"))
            #expect(request.value("expect") == nil)
        }
    }

    /// The stream gives a chunk only when the server has had the one before: the upload pauses each time.
    @Test func aSlowStreamPausesAndGoesOn() async throws {
        let latches = (0..<5).map { _ in Latch() }
        let server = FaultServer { connection in
            guard connection.readHead() != nil else { return }
            for latch in latches {
                _ = connection.readBytes(3 + 2 + 4)
                latch.open()
            }
            _ = connection.readBytes(5)
            connection.write(ok("all"))
        }
        defer { server.stop() }
        let (stream, continuation) = AsyncThrowingStream<HTTPBody.Chunk, any Error>.makeStream()
        async let response = CurlTransport().send(.post, server.url, body: .once(stream))
        for latch in latches {
            continuation.yield(Array("abcd".utf8)[...])
            await latch.wait()
        }
        continuation.finish()
        #expect(try await response.text == "all")
    }

    @Test func files() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let transport = CurlTransport()
        _ = try await transport.send(.put, server.url, body: .file(path))
        _ = try await transport.send(.put, server.url, body: .file(path, range: 1_000..<250_000))
        _ = try await transport.send(.put, server.url, body: .file(path, range: 5..<5))
        #expect(server.requests.map(\.body) == [bytes, Array(bytes[1_000..<250_000]), []])
        #expect(server.requests[2].value("content-length") == "0")
        for (path, range) in [(path, 0..<300_001), ("/nonexistent", nil), ("/", nil)]
            as [(String, Range<Int64>?)]
        {
            let error = await failure { () throws(NetworkError) in
                try await transport.send(.put, server.url, body: .file(path, range: range))
            }
            #expect(error?.code == .bodyFailed && error?.mayHaveBeenSent == false)
            #expect(error.map { "\($0)".contains(path) && path != "/" } == false)
        }
        #expect(server.requests.count == 3)
    }

    @Test func aOneShotBodyIsSentOnce() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = CurlTransport()
        let body = HTTPBody.once(chunks(of: 1_000))
        _ = try await transport.send(.post, server.url, body: body)
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url, body: body)
        }
        #expect(error?.code == .bodyNotReplayable && error?.mayHaveBeenSent == false)
        #expect(server.requests.count == 1)
    }

    /// A stream is touched when its first byte is wanted, not before: a connection that never stood costs none.
    @Test func aOneShotBodySurvivesARefusedConnection() async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let transport = CurlTransport()
        let body = HTTPBody.once(chunks(of: 1_000))
        let refused = "http://127.0.0.1:\(FaultServer.unusedPort())"
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, refused, body: body)
        }
        #expect(error?.code == .connectionRefused)
        #expect(body.isReplayable)
        _ = try await transport.send(.post, server.url, body: body)
        #expect(server.requests.first?.body == bytes)
    }

    private struct Broken: Error {}

    @Test(arguments: [nil, 2, 10] as [Int64?])
    func aStreamThatFailsOrLies(length: Int64?) async throws {
        let server = FaultServer { _ in ok() }
        defer { server.stop() }
        let stream = AsyncThrowingStream<HTTPBody.Chunk, any Error> { continuation in
            continuation.yield([1, 2, 3, 4])
            continuation.finish(throwing: length == nil ? Broken() : nil)
        }
        let transport = CurlTransport()
        let error = await failure { () throws(NetworkError) in
            try await transport.send(.post, server.url, body: .once(length: length, stream))
        }
        #expect(error?.code == .bodyFailed)
        #expect(error?.phase == .send)
        #expect((error?.underlying is Broken) == (length == nil))
        #expect(try await transport.send(.get, server.url).status == 200)
        #expect(server.requests.count == 1, "no complete request was seen but the last")
    }

    /// Nobody reads: the producer is held back after a window's worth, and let go when the call is cancelled.
    @Test func aServerThatDoesNotReadHoldsTheStreamBack() async throws {
        let server = FaultServer { connection in
            _ = connection.readHead()
            Latch.blockForever(on: connection)
        }
        defer { server.stop() }
        let (produced, clock) = (Tally(), ManualClock())
        let body = HTTPBody.replayable {
            AsyncThrowingStream<HTTPBody.Chunk, any Error>(unfolding: {
                produced.add()
                return [UInt8](repeating: 0, count: 64 << 10)[...]
            })
        }
        let transport = transport {
            $0.clock = clock
            $0.timeouts.write = .milliseconds(300)
            $0.timeouts.whole = .seconds(10_000)
        }
        let url = server.url
        let call = Task {
            await failure { () throws(NetworkError) in try await transport.send(.post, url, body: body) }
        }
        await transport.waitForStages(.sending)
        // Until the producer rests, or has made more than may be held.
        var (last, looks) = (-1, 0)
        await eventually {
            let count = produced.count
            looks = count > 0 && count == last ? looks + 1 : 0
            last = count
            return looks == 150 || count >= 400
        }
        // Each piece that the system still takes extends the limit.
        await eventually {
            clock.advance(by: .milliseconds(300))
            await transport.settle()
            return await transport.stages().isEmpty
        }
        let error = await call.value
        #expect(error?.code == .timeout && error?.phase == .send)
        // What the window holds, libcurl's buffer, and both socket buffers.
        #expect(produced.count < 400)
    }
}

extension Latch {
    /// Keeps a connection open until the client closes it, reading nothing.
    static func blockForever(on connection: FaultConnection) {
        // 0x2000 is POLLRDHUP.
        var descriptor = pollfd(fd: connection.descriptor, events: 0x2000, revents: 0)
        poll(&descriptor, 1, -1)
    }
}
