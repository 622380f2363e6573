import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

/// What becomes of the options of a call that is made by hand.
@Suite struct CallOptionsTests {
    /// Records the context of each exchange.
    private final class Observer: Transport {
        let contexts = Locked<[RequestContext]>([])

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            contexts.withLock { $0.append(context) }
            return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
        }
    }

    private struct Text: NetworkRequest {
        func httpRequest() throws(NetworkError) -> HTTPRequest { try HTTPRequest(.get, "http://h/x") }
        func decode(_ response: HTTPResponse) -> String { "" }
    }

    private let observer = Observer()
    private let clock = ManualClock()

    private var engine: AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        return AsyncRequestEngine(transport: observer, configuration: configuration)
    }

    @Test(arguments: [(1_000, 1_000), (0, 0), (-1, 0), (nil, 64 << 20)])
    func theLimitOfTheResponseReachesTheTransport(limit: Int?, expected: Int) async throws {
        let options = CallOptions(responseLimit: limit)
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"), options: options)
        _ = try await engine.send(Text(), options: options)
        let modes = observer.contexts.withLock { $0.map(\.response) }
        #expect(modes == [.collect(upToBytes: expected), .collect(upToBytes: expected)])
    }

    @Test func deadlinesAreCountedOnTheEnginesClock() async throws {
        // Far from the system's clock, so that one cannot pass for the other.
        clock.advance(by: .seconds(1_000_000))
        let options = CallOptions(deadline: .seconds(7))
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"), options: options)
        _ = try await engine.send(Text(), options: options)
        let left = observer.contexts.withLock { $0.map { $0.deadline?.remaining(at: clock.now) } }
        #expect(left == [.seconds(7), .seconds(7)])
    }
}
