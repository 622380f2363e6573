import Foundation
import GatewayCore
import GatewayListener
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct ListenerStreamTests {
    /// Frames that a test sends one by one.
    private final class Frames: Sendable {
        private let (frames, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        private let asked = Locked(0)
        private let cancelled = Locked(false)

        /// How often the listener has asked.
        var requests: Int { asked.withLock { $0 } }
        /// Whether the listener has cancelled the wait for a frame.
        var isCancelled: Bool { cancelled.withLock { $0 } }

        func send(_ text: String) { continuation.yield(Array(text.utf8)) }
        func finish() { continuation.finish() }

        func next() async -> [UInt8]? {
            asked.withLock { $0 += 1 }
            var iterator = frames.makeAsyncIterator()
            let frame = await iterator.next()
            if Task.isCancelled { cancelled.withLock { $0 = true } }
            return frame
        }
    }

    private static func listener(
        _ handler: @escaping HTTPListener.Handler
    ) throws -> (listener: HTTPListener, port: UInt16) {
        let listener = try HTTPListener(
            HTTPListener.Configuration(addresses: [.loopback(port: 0)]), handler: handler)
        return (listener, try #require(listener.port))
    }

    @Test func framesAreSentOneByOne() async throws {
        let frames = Frames()
        let (listener, port) = try Self.listener { request in
            request.target == "/"
                ? .reply(.init(body: Array("other".utf8)))
                : .stream(.init(fields: ["Content-Type": "text/event-stream"], body: Array("first".utf8))) {
                    await frames.next()
                }
        }
        defer { listener.stop() }
        try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            connection.write(RawClient.text("GET", "/stream"))
            let head = connection.read(through: "\r\n\r\n").text.lowercased()
            #expect(head.contains("transfer-encoding: chunked"))
            #expect(head.contains("content-type: text/event-stream"))
            #expect(connection.read(through: "first\r\n").text == "5\r\nfirst\r\n")
            for text in ["second", "third"] {
                frames.send(text)
                let length = String(text.utf8.count, radix: 16)
                #expect(connection.read(through: text + "\r\n").text == "\(length)\r\n\(text)\r\n")
            }
            // A frame that is empty is none: the listener asks again.
            frames.send("")
            // A request that waits for a frame holds no thread.
            let other = try RawConnection(port: port)
            other.write(RawClient.text("GET", "/"))
            #expect(other.response().text == "other")
            frames.finish()
            #expect(connection.read(through: "0\r\n\r\n").end == nil)
            // The connection can be used again.
            connection.write(RawClient.text("GET", "/"))
            #expect(connection.response().text == "other")
        }
        #expect(frames.requests == 4)
    }

    @Test func aLargeFrameComesWhole() async throws {
        let frame = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 26 + 97) }
        let rest = Locked([frame, Array("end".utf8)])
        let (listener, port) = try Self.listener { _ in
            .stream(.init()) { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
        defer { listener.stop() }
        let content = try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            connection.write(RawClient.text("GET", "/"))
            _ = connection.read(through: "\r\n\r\n")
            var content = ""
            while let size = Int(connection.read(through: "\r\n").text.dropLast(), radix: 16), size > 0 {
                var chunk = connection.read(through: "\r\n").text
                // One character, CR and LF.
                chunk.removeLast()
                #expect(chunk.utf8.count == size)
                content += chunk
            }
            return content
        }
        #expect(Array(content.utf8) == frame + Array("end".utf8))
    }

    @Test func aClientThatDoesNotReadStopsNobodyAndIsForgotten() async throws {
        let (listener, port) = try Self.listener { request in
            request.target == "/"
                ? .reply(.init(body: Array("other".utf8)))
                : .stream(.init()) { [UInt8](repeating: 65, count: 256 << 10) }
        }
        defer { listener.stop() }
        try await RawClient.blocking {
            let slow = try RawConnection(port: port)
            slow.write(RawClient.text("GET", "/stream"))
            for _ in 0..<20 {
                let other = try RawConnection(port: port)
                other.write(RawClient.text("GET", "/"))
                #expect(other.response().text == "other")
            }
            withExtendedLifetime(slow) {}
        }
        #expect(await isEventually { listener.connectionCounts.open == 0 })
    }

    @Test func stoppingEndsStreams() async throws {
        let frames = Frames()
        let (listener, port) = try Self.listener { _ in .stream(.init()) { await frames.next() } }
        try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            connection.write(RawClient.text("GET", "/"))
            _ = connection.read(through: "\r\n\r\n")
            // The head is sent before the first frame is asked for. The time limit of the suite ends this.
            while frames.requests == 0 { Thread.sleep(forTimeInterval: 0.001) }
            listener.stop()
            let rest = connection.read(through: "0\r\n\r\n")
            // The end of the content was not announced: the client knows that the response is incomplete.
            #expect(rest.end != nil)
        }
        #expect(await isEventually { frames.isCancelled })
    }

    @Test func aHeadOfAStreamHasNoContent() async throws {
        let frames = Frames()
        let (listener, port) = try Self.listener { _ in .stream(.init()) { await frames.next() } }
        defer { listener.stop() }
        try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            for _ in 0..<2 {
                connection.write(RawClient.text("HEAD", "/"))
                #expect(connection.response(toHead: true).status == 200)
            }
        }
        #expect(frames.requests == 0)
    }
}
