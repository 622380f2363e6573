import GatewayCore
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// A retry that the client does not send does not replace what the call already has.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RejectedRetryTests {
    private static let rejections = [
        NetworkError(.circuitOpen, "Open."), NetworkError(.overloaded, "Full.", phase: .queue),
        NetworkError(.rateLimited, "Late.", phase: .queue, retryAfter: .seconds(9)),
        NetworkError(.rateLimited, "Late.", phase: .queue, limit: .call, retryAfter: .seconds(9)),
        NetworkError(.timeout, "Late.", phase: .queue, limit: .call),
    ]

    /// The layer below a retry layer: the replies of a script, in order.
    private final class Below: RequestEngine {
        let services = EngineServices()
        private let replies: [Result<HTTPResponse, NetworkError>]
        private let count = Locked(0)

        init(_ replies: [Result<HTTPResponse, NetworkError>]) { self.replies = replies }

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            let index = count.withLock { count in
                count += 1
                return count - 1
            }
            return try replies[min(index, replies.count - 1)].get()
        }
    }

    private static func response(_ status: Int, _ text: String) throws -> Result<HTTPResponse, NetworkError> {
        .success(
            HTTPResponse(
                status: status, fields: ["X-Request-ID": text], body: .bytes(Array(text.utf8)),
                exchange: Exchange(origin: try Origin("http://h"))))
    }

    private func send(
        _ replies: Result<HTTPResponse, NetworkError>...,
        policy: any RetryPolicy = ExponentialRetryPolicy.immediate(attempts: 5)
    ) async throws -> Result<HTTPResponse, NetworkError> {
        let engine = RetryEngine(
            below: Below(replies), policy: policy, clock: ManualClock(),
            random: SeededRandomSource(seed: 1))
        let request = try HTTPRequest(.get, "http://h/x")
        do throws(NetworkError) {
            return .success(try await engine.send(request, context: RequestContext()))
        } catch {
            return .failure(error)
        }
    }

    /// A policy that retries what the client rejects, too.
    private static let eager = ExponentialRetryPolicy(
        maximumAttempts: 4, backoff: .immediate, jitter: .none,
        retryableErrors: [.circuitOpen, .overloaded, .rateLimited])

    // MARK: What the call has

    @Test(arguments: rejections) func theResponseBeforeItIsReturned(rejection: NetworkError) async throws {
        let result = try await send(try Self.response(503, "down"), .failure(rejection))
        let response = try result.get()
        #expect(response.status == 503 && response.body.bytes == Array("down".utf8))
        #expect(response.exchange.attempts == 1)
        // Others that wait for the response, and have more time, continue from here.
        let isLate = rejection.limit == .call
        #expect(response.exchange.unmetDelay == (isLate ? rejection.retryAfter ?? .zero : nil))
    }

    @Test(arguments: rejections) func theErrorBeforeItIsThrown(rejection: NetworkError) async throws {
        let lost = NetworkError(.connectionLost, "Lost.", attempts: 1, mayHaveBeenSent: true)
        let error = try #require(try await send(.failure(lost), .failure(rejection)).error)
        #expect(error.code == .connectionLost && error.attempts == 1 && error.mayHaveBeenSent)
        #expect(error.description.hasPrefix("connection_lost after 1 attempt: Lost."))
        #expect(error.description.contains("Not retried: ") == (rejection.limit == .call))
    }

    /// The content of a stream is given up before the delay. The error has the head.
    @Test(arguments: rejections) func aStreamLeavesItsHead(rejection: NetworkError) async throws {
        let stream = HeldStream()
        let reply = HTTPResponse(
            status: 503, fields: ["X-Request-ID": "r1"], body: .stream(stream.chunks()),
            exchange: Exchange(origin: try Origin("http://h")))
        let error = try #require(try await send(.success(reply), .failure(rejection)).error)
        #expect(error.code == rejection.code && error.attempts == 1 && error.mayHaveBeenSent)
        #expect(error.status == 503 && error.response?.status == 503 && error.requestID == "r1")
        #expect(error.response?.isBodyTruncated == true && stream.holders == 0)
    }

    // MARK: What ends the call

    @Test(arguments: [NetworkError.closed, .cancelled, .tokenUnavailable, .refreshSuspended, .signedOut])
    func theEndOfTheCallIsThrown(code: NetworkError.Code) async throws {
        let result = try await send(try Self.response(503, "down"), .failure(NetworkError(code, "Over.")))
        #expect(result.error?.code == code && result.error?.attempts == 1)
    }

    /// An attempt that was made is the last one, whatever came of it.
    @Test func anAttemptThatFailsIsTheResult() async throws {
        let refused = NetworkError(.connectionRefused, "Refused.", attempts: 1)
        let result = try await send(
            try Self.response(503, "down"), .failure(refused), policy: .immediate(attempts: 2))
        #expect(result.error?.code == .connectionRefused && result.error?.attempts == 2)
    }

    // MARK: Policies that retry rejections

    @Test func aRejectionThatIsRetriedChangesNothing() async throws {
        let open = Result<HTTPResponse, NetworkError>.failure(NetworkError(.circuitOpen, "Open."))
        let through = try await send(
            try Self.response(503, "down"), open, open, try Self.response(200, "up"), policy: Self.eager)
        #expect(try through.get().status == 200)
        let over = try await send(
            try Self.response(503, "one"), open, try Self.response(502, "two"), open, policy: Self.eager)
        #expect(try over.get().body.bytes == Array("two".utf8))
        let again = try await send(try Self.response(503, "one"), open, policy: Self.eager)
        #expect(try again.get().body.bytes == Array("one".utf8))
    }

    @Test func withoutAnyAttemptTheLastRejectionIsThrown() async throws {
        let result = try await send(
            .failure(NetworkError(.circuitOpen, "Open.")), .failure(NetworkError(.overloaded, "Full.")),
            policy: Self.eager)
        #expect(result.error?.code == .overloaded && result.error?.attempts == 0)
    }

    // MARK: Engines

    /// Another call has taken the only permit while this one waited for its retry.
    @Test func aFullBulkheadLeavesTheResponse() async throws {
        let (clock, gate, events) = (ManualClock(), Gate(), EventRecorder())
        let transport = ScriptedTransport { request, _ in
            guard request.target == "/held" else { return .status(503, "down") }
            await gate.pass()
            return .status(200)
        }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = BulkheadPolicy(
            perOrigin: .fixed(1), inAll: 1, waitingPerOrigin: 0)
        configuration.retry.policy = .fixed(attempts: 2, delay: .seconds(5))
        configuration.clock = clock
        configuration.events = events
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let (request, other) = (
            try HTTPRequest(.get, "http://h/x"), try HTTPRequest(.get, "http://h/held")
        )
        let call = Task { try await engine.send(request) }
        await clock.waitForSleepers(1)
        let holder = Task { try await engine.send(other).status }
        await gate.waitForArrivals(1)
        clock.advance(by: .seconds(5))
        let response = try await call.value
        #expect(response.status == 503 && response.body.bytes == Array("down".utf8))
        #expect(response.exchange.attempts == 1)
        // The rejection is an event.
        #expect(
            events.events.contains {
                if case .notRetried(.policy, status: nil, error: .overloaded) = $0.kind {
                    true
                } else {
                    false
                }
            })
        gate.open()
        #expect(try await holder.value == 200)
    }

    // MARK: Closures

    @Test func anExecutorThrowsTheErrorBeforeTheRejection() async throws {
        struct Down: Error {}
        let policy = CircuitBreakerPolicy.aggressive
        let clock = ManualClock()
        let breaker = try CircuitBreaker(named: "b", policy: policy, clock: clock)
        let executor = RetryExecutor(
            .immediate(attempts: 9), clock: clock, random: SeededRandomSource(seed: 1))
        await #expect(throws: Down.self) {
            try await executor.execute { try await breaker.execute { throw Down() } }
        }
        #expect(breaker.state == .open)
        let error = await #expect(throws: NetworkError.self) {
            try await executor.execute { try await breaker.execute { throw Down() } }
        }
        #expect(error?.code == .circuitOpen)
    }
}

extension Result<HTTPResponse, NetworkError> {
    fileprivate var error: NetworkError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
