import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Entries that fail at their server do not hold back others for the same origin.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueBadEntryTests {
    /// A server whose answer depends on the first word of the body.
    private final class Server: Sendable {
        private let clock = Locked<ManualClock?>(nil)

        /// The clock of the time that requests hang.
        func use(_ clock: ManualClock) { self.clock.withLock { $0 = clock } }

        func reply(to request: HTTPRequest) async -> ScriptedTransport.Reply {
            switch QueueBadEntryTests.word(of: request) {
            case "hangs":
                if let clock = clock.withLock({ $0 }) {
                    try? await clock.sleep(until: clock.now + .seconds(60))
                }
                return .failure(
                    NetworkError(.timeout, "x", phase: .firstByte, attempts: 1, mayHaveBeenSent: true))
            case "torn":
                return .streamed(
                    status: 200,
                    AsyncThrowingStream<HTTPBody.Chunk, any Error> { chunks in
                        chunks.finish(throwing: NetworkError(.truncated, "x", mayHaveBeenSent: true))
                    })
            case "lost":
                return .failure(
                    NetworkError(.connectionLost, "x", phase: .firstByte, attempts: 1, mayHaveBeenSent: true))
            case "fails": return .status(500)
            default: return .status(200)
            }
        }
    }

    private static func word(of request: HTTPRequest) -> String? {
        request.body.bytes.flatMap { String(decoding: $0, as: UTF8.self).split(separator: " ").first }
            .map { String($0) }
    }

    /// The requests that were sent before the last good one.
    private func before(_ requests: [HTTPRequest]) -> ArraySlice<HTTPRequest> {
        requests[..<(requests.lastIndex { Self.word(of: $0) == "good" } ?? 0)]
    }

    private func queue(_ server: Server, _ words: [String]) async throws -> EngineFixture {
        let fixture = try await EngineFixture { request, _ in await server.reply(to: request) }
        server.use(fixture.clock)
        for (number, word) in words.enumerated() {
            _ = try await fixture.queue.enqueue(sample("\(word) \(number)"))
        }
        await fixture.queue.start()
        return fixture
    }

    /// queue.bad-entry-gives-way
    @Test(arguments: [("hangs", 5), ("lost", 12), ("fails", 12)])
    func theOldestOnesFailAndTheOthersAreSent(word: String, count: Int) async throws {
        let words = [String](repeating: word, count: count) + [String](repeating: "good", count: 5)
        let fixture = try await queue(Server(), words)
        #expect(await fixture.advance(by: .seconds(1)) { (try? await fixture.queue.counts()[.done]) == 5 })
        // Each of the others was sent about once before.
        let failed = before(fixture.transport.requests).count { Self.word(of: $0) == word }
        #expect(failed <= count * 2, "\(failed)")
        await fixture.queue.stop(within: .zero)
    }

    /// queue.bad-entry-gives-way: of 100 entries 20 hang, 20 are answered by halves, and 10 fail.
    @Test func theGoodOnesOfAMixedRunAreSent() async throws {
        let kinds = ["hangs", "torn", "good", "good", "good", "hangs", "torn", "fails", "good", "good"]
        let fixture = try await queue(Server(), (0..<100).map { kinds[$0 % kinds.count] })
        // What is torn was answered with 200.
        #expect(
            await fixture.advance(by: .seconds(1)) { (try? await fixture.queue.counts()[.done]) == 70 })
        let requests = fixture.transport.requests
        #expect(requests.count { Self.word(of: $0) == "good" } == 50)
        #expect(requests.count { Self.word(of: $0) == "torn" } == 20)
        // Each about twice. The clock may be set forward before an attempt has begun to wait.
        let hanging = before(requests).count { Self.word(of: $0) == "hangs" }
        #expect(hanging <= 50, "\(hanging)")
        await fixture.queue.stop(within: .zero)
    }

    /// queue.bad-entry-gives-way: half of the permits is kept for entries without failures, also while there are none.
    @Test func aShareOfThePermitsIsKept() async throws {
        let gate = Gate()
        let tries = Locked<[String: Int]>([:])
        let fixture = try await EngineFixture { request, _ in
            guard let word = Self.word(of: request), word != "good" else { return .status(200) }
            let number = tries.withLock { tries in
                tries[word, default: 0] += 1
                return tries[word, default: 0]
            }
            guard number > 1 else { return .status(500) }
            await gate.pass()
            return .status(200)
        }
        await fixture.queue.start()
        for number in 0..<4 { _ = try await fixture.queue.enqueue(sample("bad\(number)")) }
        #expect(await fixture.advance { gate.arrivals == 2 })
        let later = fixture.clock.now + .seconds(5)
        #expect(await fixture.advance { fixture.clock.now >= later })
        #expect(gate.arrivals == 2)
        // At once: the clock stands still.
        #expect(try await fixture.queue.enqueue(sample("good")).outcome().isDone)
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 5 })
        await fixture.queue.stop(within: .zero)
    }

    /// With a single permit both kinds have their turn.
    @Test func aSinglePermitIsForBothInTurn() async throws {
        let fixture = try await EngineFixture({ $0.concurrency = 1 }) { request, index in
            Self.word(of: request) == "good" || index > 20 ? .status(200) : .status(500)
        }
        await fixture.queue.start()
        for number in 0..<3 { _ = try await fixture.queue.enqueue(sample("bad\(number)")) }
        #expect(await fixture.advance { fixture.transport.requests.count >= 3 })
        for number in 0..<10 { _ = try await fixture.queue.enqueue(sample("good \(number)")) }
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) ?? 0 >= 10 })
        #expect(
            await fixture.advance(by: .seconds(5)) { (try? await fixture.queue.counts()[.done]) == 13 })
        await fixture.queue.stop(within: .zero)
    }
}
