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

    @Test(arguments: [(1_000, 1_000), (0, 0), (nil, 64 << 20)])
    func theLimitOfTheResponseReachesTheTransport(limit: Int?, expected: Int) async throws {
        let options = CallOptions(responseLimit: limit)
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"), options: options)
        _ = try await engine.send(Text(), options: options)
        let modes = observer.contexts.withLock { $0.map(\.response) }
        #expect(modes == [.collect(upToBytes: expected), .collect(upToBytes: expected)])
    }

    /// An impossible value of each option that can have one.
    private static let impossible: [(property: String, options: CallOptions)] = [
        ("responseLimit", CallOptions(responseLimit: -1)),
        ("responseLimit", CallOptions(responseLimit: .min)),
        ("jsonValueLimit", CallOptions(jsonValueLimit: -1)),
        ("idempotencyKey", CallOptions(idempotencyKey: "")),
        ("idempotencyKey", CallOptions(idempotencyKey: " ")),
        ("idempotencyKey", CallOptions(idempotencyKey: "a\r\nX-Y: b")),
        ("retry.maximumAttempts", CallOptions(retry: .immediate(attempts: 0))),
        ("retry.backoff", CallOptions(retry: .fixed(attempts: 2, delay: .seconds(-1)))),
        ("limits.queue", CallOptions(limits: AttemptLimits(queue: .zero))),
        ("limits.connect", CallOptions(limits: AttemptLimits(connect: .zero))),
        ("limits.firstByte", CallOptions(limits: AttemptLimits(firstByte: .seconds(-1)))),
        ("limits.read", CallOptions(limits: AttemptLimits(read: .zero))),
        ("limits.write", CallOptions(limits: AttemptLimits(write: .zero))),
        ("limits.whole", CallOptions(limits: AttemptLimits(whole: .seconds(Int64.min)))),
    ]

    /// As options of a call, of a typed call, of a stream and of a context, nothing is sent; as options of an operation,
    /// no configuration is valid.
    @Test(arguments: impossible.indices)
    func anImpossibleValueNamesItsProperty(index: Int) async throws {
        let (property, options) = Self.impossible[index]
        let request = try HTTPRequest(.post, "http://h/x")
        let (engine, clock) = (engine, clock)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await engine.send(request, options: options) },
            { _ = try await engine.send(Text(), options: options) },
            { _ = try await engine.stream(request, options: options) },
            { _ = try await engine.send(request, context: RequestContext(options: options, clock: clock)) },
        ]
        for call in calls {
            let error = await #expect(throws: NetworkError.self) { try await call() }
            #expect(error?.code == .misconfigured && error?.attempts == 0)
            #expect(error?.message.hasPrefix("Invalid setting '\(property)': ") == true)
        }
        #expect(observer.contexts.withLock { $0.isEmpty })

        var configuration = AsyncRequestEngine.Configuration()
        configuration.operations = ["x": options]
        let error = #expect(throws: NetworkError.self) { try configuration.validate() }
        #expect(error?.message.hasPrefix("Invalid setting 'operations[\"x\"].\(property)': ") == true)
    }

    /// A deadline that has passed is no mistake.
    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aDeadlineThatHasPassedIsValid(deadline: Duration) async throws {
        let context = RequestContext(options: CallOptions(deadline: deadline), clock: clock)
        #expect(context.problem == nil)
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
