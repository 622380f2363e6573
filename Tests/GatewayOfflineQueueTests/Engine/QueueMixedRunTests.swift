import GatewayCore
import GatewayOfflineQueue
import GatewayTesting
import TestTiers
import Testing

/// How long good entries take beside bad ones for the same origin, by the machine's clock.
@Suite(.realTime("It compares two times."), .timeLimit(.minutes(2))) struct QueueMixedRunTests {
    /// A server that takes 250 ms for a good request; what hangs is given up after 500 ms.
    private static func reply(to request: HTTPRequest) async -> ScriptedTransport.Reply {
        switch request.body.bytes.map({ String(decoding: $0, as: UTF8.self) }) {
        case "hangs":
            try? await Task.sleep(for: .milliseconds(500))
            return .failure(
                NetworkError(.timeout, "x", phase: .firstByte, attempts: 1, mayHaveBeenSent: true))
        case "torn":
            return .streamed(
                status: 200,
                AsyncThrowingStream<HTTPBody.Chunk, any Error> { chunks in
                    chunks.finish(throwing: NetworkError(.truncated, "x", mayHaveBeenSent: true))
                })
        case "fails": return .status(500)
        default:
            try? await Task.sleep(for: .milliseconds(250))
            return .status(200)
        }
    }

    /// The time until all good entries of a run are done.
    private func time(of words: [String]) async throws -> Duration {
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(),
            engine: AttemptEngine(
                transport: ScriptedTransport { request, _ in await Self.reply(to: request) }))
        var good: [QueueTicket] = []
        for word in words {
            let ticket = try await queue.enqueue(
                QueueRequest(try HTTPRequest(.post, "https://api.example.com/v1/items", body: .text(word))))
            if word == "good" { good.append(ticket) }
        }
        let began = ContinuousClock.now
        await queue.start()
        for ticket in good { #expect(try await ticket.outcome().isDone) }
        let time = ContinuousClock.now - began
        await queue.stop(within: .zero)
        return time
    }

    /// queue.bad-entry-gives-way: 20 of 100 hang, 20 are answered by halves, and 10 fail.
    @Test func theGoodOnesTakeAtMostTwiceTheirTime() async throws {
        let kinds = ["hangs", "torn", "good", "good", "good", "hangs", "torn", "fails", "good", "good"]
        let words = (0..<100).map { kinds[$0 % kinds.count] }
        let alone = try await time(of: words.filter { $0 == "good" })
        let mixed = try await time(of: words)
        #expect(mixed <= alone * 2, "\(mixed) beside \(alone)")
    }
}
