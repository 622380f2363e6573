import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct FallbackEngineTests {
    private typealias Engine = FallbackEngine<AsyncRequestEngine>
    private static let refused = ScriptedTransport.Reply.failure(
        NetworkError(.connectionRefused, "refused"))
    private static let lost = ScriptedTransport.Reply.failure(
        NetworkError(.connectionLost, "lost", mayHaveBeenSent: true))

    private func engine(
        _ replies: ScriptedTransport, retries: Int = 0, events: EventRecorder? = nil
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = events
        configuration.retry.policy = ExponentialRetryPolicy(maxRetries: retries, baseDelay: .zero)
        return AsyncRequestEngine(transport: replies, configuration: configuration)
    }

    private func request(_ method: HTTPMethod = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "https://api.example.com/books")
    }

    @Test func aFailureIsAnsweredByTheReplica() async throws {
        let names = Names()
        let replica = ScriptedTransport(.status(200, "replica"))
        let fallback = Engine(
            below: engine(ScriptedTransport(Self.refused)), steps: [.engine("replica", engine(replica))],
            onFallback: { step, error in names.add("\(step) \(error.code.name)") })
        let response = try await fallback.send(request())
        #expect(try response.text() == "replica")
        #expect(response.exchange.attempts == 2)
        #expect(names.all == ["replica connection_refused"])
        #expect(replica.requests.count == 1)
    }

    /// Such a step sends nothing.
    @Test func aResponseIsMadeForAnUnsafeRequestToo() async throws {
        let made = Engine.Step("made") { request, _, _ in
            HTTPResponse(status: 202, exchange: Exchange(origin: request.origin, attempts: 0))
        }
        let fallback = Engine(below: engine(ScriptedTransport(Self.lost)), steps: [made])
        #expect(try await fallback.send(request(.post)).status == 202)
    }

    @Test func eachAttemptCountsOnce() async throws {
        let made = Engine.Step("made") { request, _, error in
            #expect(error.attempts == 2)
            return HTTPResponse(status: 202, exchange: Exchange(origin: request.origin, attempts: 0))
        }
        let fallback = Engine(
            below: engine(ScriptedTransport(.status(503))),
            steps: [
                .engine("replica", engine(ScriptedTransport(.status(503))), when: .any),
                .init("made", when: .any, made.answer),
            ])
        #expect(try await fallback.send(request()).exchange.attempts == 2)
    }

    @Test func onlyFinalOutcomesAreReplaced() async throws {
        let live = ScriptedTransport(Self.refused, .status(503), .status(200))
        let fallback = Engine(
            below: engine(live, retries: 2),
            steps: [
                .init("none") { _, _, error throws(NetworkError) in
                    Issue.record("an attempt was replaced")
                    throw error
                }
            ])
        #expect(try await fallback.send(request()).status == 200)
        #expect(live.requests.count == 3)
    }

    @Test func aStatusIsReplacedOrReturnedUnchanged() async throws {
        let made = Engine.Step("made") { request, _, error in
            HTTPResponse(status: error.status == 503 ? 204 : 200, exchange: Exchange(origin: request.origin))
        }
        let replaced = Engine(below: engine(ScriptedTransport(.status(503))), steps: [made])
        #expect(try await replaced.send(request()).status == 204)
        for status in [400, 404, 500] {
            let kept = Engine(below: engine(ScriptedTransport(.status(status))), steps: [made])
            #expect(try await kept.send(request()).status == status)
        }
        let skipped = Engine(
            below: engine(ScriptedTransport(.status(503, "kept"))),
            steps: [
                .init("made", when: .codes([.timeout])) { _, _, error throws(NetworkError) in throw error }
            ])
        let response = try await skipped.send(request())
        #expect(try response.status == 503 && response.text() == "kept")
    }

    @Test func anUnsafeRequestThatMayHaveBeenSentIsNotRepeated() async throws {
        let replica = ScriptedTransport { _, _ in .status(200) }
        let steps = [Engine.Step.engine("replica", engine(replica))]
        await #expect(throws: NetworkError.self) {
            try await Engine(below: engine(ScriptedTransport(Self.lost)), steps: steps).send(request(.post))
        }
        let busy = try await Engine(below: engine(ScriptedTransport(.status(503))), steps: steps)
            .send(request(.post))
        #expect(busy.status == 503)
        #expect(replica.requests.isEmpty)
        // Where nothing was sent, it is.
        let sent = try await Engine(below: engine(ScriptedTransport(Self.refused)), steps: steps)
            .send(request(.post))
        #expect(sent.status == 200)
    }

    @Test func aBodyThatCannotBeSentAgainIsNotSentToTheReplica() async throws {
        let replica = ScriptedTransport(.status(200))
        let chunks = AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
        var request = try request(.put)
        request.body = .once(chunks)
        let live = ScriptedTransport { request, _ in
            if case .once(_, let stream) = request.body.storage { _ = stream.take() }
            return Self.refused
        }
        let fallback = Engine(
            below: engine(live), steps: [.engine("replica", engine(replica))])
        await #expect(throws: NetworkError.self) { try await fallback.send(request) }
        #expect(replica.requests.isEmpty)
    }

    /// A replica that sent nothing does not undo what was sent before.
    @Test func theErrorTellsWhatMayHaveBeenSentBefore() async throws {
        let fallback = Engine(
            below: engine(ScriptedTransport(Self.lost)),
            steps: [.engine("replica", engine(ScriptedTransport(Self.refused)))])
        do {
            _ = try await fallback.send(request())
            Issue.record("It failed.")
        } catch let error as NetworkError {
            #expect(error.code == .connectionRefused && error.mayHaveBeenSent && error.attempts == 2)
        }
    }

    @Test func aTaskThatIsCancelledRunsNoStep() async throws {
        let below = engine(
            ScriptedTransport { _, _ in
                withUnsafeCurrentTask { task in unsafe task?.cancel() }
                return Self.refused
            })
        let fallback = Engine(
            below: below,
            steps: [
                .init("made", when: .any) { request, _, _ in
                    Issue.record("a step ran")
                    return HTTPResponse(status: 204, exchange: Exchange(origin: request.origin))
                }
            ])
        let request = try request()
        let task = Task { try await fallback.send(request) }
        await #expect(throws: NetworkError.self) { try await task.value }
    }

    @Test func aCancelledCallIsFinal() async throws {
        let fallback = Engine(
            below: engine(ScriptedTransport(.failure(NetworkError(.cancelled, "cancelled")))),
            steps: [
                .init("made", when: .any) { request, _, _ in
                    Issue.record("a cancelled call was replaced")
                    return HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
                }
            ])
        await #expect(throws: NetworkError.self) { try await fallback.send(request()) }
    }

    private static let replaced: [(ScriptedTransport.Reply, Int?, NetworkError.Code)] = [
        (refused, nil, .connectionRefused), (.status(503), 503, .unacceptableStatus),
    ]

    @Test(arguments: replaced)
    func aStepThatAnswersIsAnEvent(
        reply: ScriptedTransport.Reply, status: Int?, code: NetworkError.Code
    ) async throws {
        let (ofEngine, ofCall) = (EventRecorder(), EventRecorder())
        let fallback = Engine(
            below: engine(ScriptedTransport(reply, reply), events: ofEngine),
            steps: [
                .init("broken") { _, _, error throws(NetworkError) in throw error },
                .init("made", when: .any) { request, _, _ in
                    HTTPResponse(status: 204, exchange: Exchange(origin: request.origin))
                },
            ])
        var context = RequestContext()
        let request = try request()
        #expect(try await fallback.send(request, context: context).status == 204)
        context.events = ofCall
        #expect(try await fallback.send(request, context: context).status == 204)
        // That of the engine receives the events of both calls.
        for (events, count) in [(ofEngine, 2), (ofCall, 1)] {
            let used = events.events.filter {
                if case .fallbackUsed = $0.kind { true } else { false }
            }
            let event = try #require(used.first)
            #expect(used.count == count && event.callID == context.callID && event.origin == request.origin)
            guard case .fallbackUsed("made", status, code) = event.kind else {
                Issue.record("\(event.kind)")
                continue
            }
        }
    }

    @Test func aCallThatNeedsNoStepIsNoEvent() async throws {
        let events = EventRecorder()
        let none = Engine.Step("none", when: .codes([.timeout])) { _, _, error throws(NetworkError) in
            throw error
        }
        let fallback = Engine(
            below: engine(ScriptedTransport(.status(200), .status(503)), events: events), steps: [none])
        #expect(try await fallback.send(request()).status == 200)
        #expect(try await fallback.send(request()).status == 503)
        #expect(
            !events.events.isEmpty
                && events.events.allSatisfy { if case .fallbackUsed = $0.kind { false } else { true } })
    }

    @Test func theLastOutcomeIsReturned() async throws {
        let fallback = Engine(
            below: engine(ScriptedTransport(Self.refused)),
            steps: [.engine("replica", engine(ScriptedTransport(.status(502, "replica"))))])
        #expect(try await fallback.send(request()).status == 502)
    }
}

/// Collects names.
private final class Names: Sendable {
    private let names = Locked([String]())
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
}
