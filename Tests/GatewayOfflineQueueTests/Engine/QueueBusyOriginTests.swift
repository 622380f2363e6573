import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A 503 or 429 without `Retry-After` may be that of an entry: others of its origin are tried next.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueBusyOriginTests {
    /// Answers the first attempts of entries whose body begins with `bad` by a status.
    private final class Server: Sendable {
        private let status: Int
        private let tries = Locked<[String: Int]>([:])

        init(_ status: Int) { self.status = status }

        func reply(to request: HTTPRequest) -> ScriptedTransport.Reply {
            let text = text(of: request)
            let number = tries.withLock { tries in
                tries[text, default: 0] += 1
                return tries[text, default: 0]
            }
            return .status(text.hasPrefix("bad") && number <= 4 ? status : 200)
        }
    }

    /// queue.bad-entry-gives-way: after each of these responses an entry is sent that has not failed, as long as there is one.
    @Test(arguments: [503, 429], [1, 4])
    func theNextAttemptIsThatOfAnotherEntry(status: Int, concurrency: Int) async throws {
        let server = Server(status)
        let fixture = try await EngineFixture({ $0.concurrency = concurrency }) { request, _ in
            server.reply(to: request)
        }
        for number in 0..<3 { _ = try await fixture.queue.enqueue(sample("bad \(number)")) }
        for number in 0..<20 { _ = try await fixture.queue.enqueue(sample("good \(number)")) }
        await fixture.queue.start()
        // Those that fail are done at last, too.
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 23 })
        let texts = fixture.transport.requests.map(text)
        let last = texts.lastIndex { $0.hasPrefix("good") } ?? 0
        var failed: Set<String> = []
        for (text, next) in zip(texts[..<last], texts[1...]) where text.hasPrefix("bad") {
            failed.insert(text)
            #expect(!failed.contains(next), "\(next) after \(text): \(texts)")
        }
        await fixture.queue.stop(within: .zero)
    }

    /// With `Retry-After` the origin waits, and every entry with it.
    @Test func aTimeThatTheServerNamesIsKept() async throws {
        let fixture = try await EngineFixture { _, index in
            .status(index == 0 ? 503 : 200, fields: index == 0 ? [.retryAfter: "30"] : [:])
        }
        let start = fixture.clock.now
        for number in 0..<5 { _ = try await fixture.queue.enqueue(sample("\(number)")) }
        await fixture.queue.start()
        #expect(await fixture.advance { fixture.transport.requests.count > 1 })
        #expect(start.duration(to: fixture.clock.now) >= .seconds(30))
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 5 })
        await fixture.queue.stop(within: .zero)
    }
}

private func text(of request: HTTPRequest) -> String {
    String(decoding: request.body.bytes ?? [], as: UTF8.self)
}
