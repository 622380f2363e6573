import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct RetryEngineTests {
    /// An engine that never waits, over a transport that answers by a script.
    private func engine(
        _ transport: ScriptedTransport, policy: any RetryPolicy = .immediate(attempts: 3),
        clock: any GatewayClock = ManualClock()
    ) -> RetryEngine<AttemptEngine> {
        RetryEngine(
            below: AttemptEngine(transport: transport), policy: policy, clock: clock,
            random: SeededRandomSource(seed: 1))
    }

    private func request(
        _ method: HTTPMethod, fields: HTTPFields = HTTPFields(), body: HTTPBody = .empty
    ) throws -> HTTPRequest {
        try HTTPRequest(method, "http://127.0.0.1/x", fields: fields, body: body)
    }

    @Test(arguments: [408, 429, 502, 503, 504])
    func aStatusThatMayPassIsTriedAgain(status: Int) async throws {
        let transport = ScriptedTransport(.status(status), .status(status), .status(200))
        let response = try await engine(transport).send(try request(.get), context: RequestContext())
        #expect(response.status == 200)
        #expect(response.exchange.attempts == 3)
        #expect(transport.requests.count == 3)
    }

    @Test func aStreamedFailureIsGivenUpBeforeTheWait() async throws {
        let (stream, clock) = (HeldStream(), ManualClock())
        let transport = ScriptedTransport { _, index in
            index == 0 ? .streamed(status: 503, stream.chunks()) : .status(200)
        }
        let engine = engine(transport, policy: .fixed(attempts: 2, delay: .seconds(5)), clock: clock)
        let call = Task { try await engine.send(try request(.get), context: RequestContext()) }
        await clock.waitForSleepers(1)
        #expect(stream.holders == 0)
        clock.advance(by: .seconds(5))
        #expect(try await call.value.status == 200)
    }

    @Test func aStreamedFailureThatIsTheLastIsTheCallers() async throws {
        let stream = HeldStream()
        let transport = ScriptedTransport { _, _ in .streamed(status: 503, stream.chunks()) }
        let response = try await engine(transport).send(try request(.get), context: RequestContext())
        #expect(response.status == 503 && stream.holders == 1)
        var pieces = response.body.makeAsyncIterator()
        #expect(try await pieces.next() != nil)
    }

    @Test(arguments: [200, 301, 400, 403, 404, 409, 422, 500, 501])
    func anyOtherStatusIsAnAnswer(status: Int) async throws {
        let transport = ScriptedTransport(.status(status))
        let response = try await engine(transport).send(try request(.get), context: RequestContext())
        #expect(response.status == status)
        #expect(transport.requests.count == 1)
    }

    @Test func theLastResponseIsReturnedWhenAttemptsRunOut() async throws {
        let transport = ScriptedTransport(.status(503, "one"), .status(503, "two"), .status(503, "three"))
        let response = try await engine(transport).send(try request(.get), context: RequestContext())
        #expect(response.status == 503)
        #expect(response.body.bytes == Array("three".utf8))
        #expect(response.exchange.attempts == 3)
    }

    @Test(arguments: [HTTPMethod.post, .patch])
    func anUnsafeMethodIsNotRepeatedWithoutAKey(method: HTTPMethod) async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let response = try await engine(transport).send(try request(method), context: RequestContext())
        #expect(response.status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func aKeyedPostIsSentAgainWithTheSameKeyAndBytes() async throws {
        let transport = ScriptedTransport(
            .status(503), .failure(NetworkError(.connectionLost, "lost", attempts: 1, mayHaveBeenSent: true)),
            .status(201))
        let response = try await engine(transport).send(
            try request(.post, fields: [.idempotencyKey: "order-42"], body: .text("{\"n\":1}")),
            context: RequestContext())
        #expect(response.status == 201)
        #expect(
            transport.requests.map { $0.fields[.idempotencyKey] } == ["order-42", "order-42", "order-42"])
        #expect(transport.requests.allSatisfy { $0.body.bytes == Array("{\"n\":1}".utf8) })
    }

    @Test func aPostThatNeverReachedTheServerIsSentAgain() async throws {
        let transport = ScriptedTransport(.failure(NetworkError(.connectionRefused, "refused")), .status(201))
        let response = try await engine(transport).send(
            try request(.post, body: .text("x")), context: RequestContext())
        #expect(response.status == 201)
        #expect(response.exchange.attempts == 2)
    }

    @Test func everyFailedAttemptCounts() async throws {
        let transport = ScriptedTransport(
            .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect)))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(try self.request(.post), context: RequestContext())
        }
        #expect(error?.attempts == 3 && error?.mayHaveBeenSent == false && transport.requests.count == 3)
        #expect(error?.description == "connection_refused (connect) after 3 attempts: Refused.")
    }

    @Test func whatFailsInTheQueueIsNoAttempt() async throws {
        let transport = ScriptedTransport(
            .failure(NetworkError(.timeout, "Full.", phase: .queue)),
            .failure(NetworkError(.connectionLost, "Lost.", phase: .send)),
            .failure(NetworkError(.timeout, "Full.", phase: .queue)))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(try self.request(.get), context: RequestContext())
        }
        #expect(error?.attempts == 1 && transport.requests.count == 3)
    }

    /// One attempt may have reached the server: what came of the others does not undo that.
    @Test(arguments: [true, false])
    func whatMayHaveBeenSentStaysSo(wasAnswered: Bool) async throws {
        let transport = ScriptedTransport(
            wasAnswered
                ? .status(503) : .failure(NetworkError(.connectionLost, "Lost.", mayHaveBeenSent: true)),
            .failure(NetworkError(.connectionRefused, "Refused.")))
        let error = await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(try self.request(.get), context: RequestContext())
        }
        #expect(error?.code == .connectionRefused && error?.attempts == 3 && error?.mayHaveBeenSent == true)
    }

    /// A call that is cancelled before its second attempt has sent what its first one has.
    @Test(arguments: [true, false])
    func aCancelledWaitTellsWhatWasSent(wasSent: Bool) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .failure(NetworkError(.connectionLost, "Lost.", mayHaveBeenSent: wasSent)))
        let engine = engine(transport, policy: .fixed(attempts: 3, delay: .seconds(5)), clock: clock)
        let request = try request(.get)
        let call = Task { try await engine.send(request, context: RequestContext()) }
        await clock.waitForSleepers(1)
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled && error?.attempts == 1 && error?.mayHaveBeenSent == wasSent)
    }

    @Test func aRetryWithoutTimeForItIsNamed() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.failure(NetworkError(.connectionRefused, "Refused.")))
        let context = RequestContext(options: CallOptions(deadline: .seconds(5)), clock: clock)
        let engine = engine(transport, policy: .fixed(attempts: 3, delay: .seconds(7)), clock: clock)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try self.request(.get), context: context)
        }
        #expect(
            error?.description
                == "connection_refused after 1 attempt: Refused. Not retried: the next attempt was "
                + "due in 7 s, after the call's deadline.")
    }

    @Test func aPolicyMayTakeTheRiskOfRepeatingOnItself() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let policy = ExponentialRetryPolicy(backoff: .immediate, jitter: .none, repeats: .everything)
        let response = try await engine(transport, policy: policy).send(
            try request(.post), context: RequestContext())
        #expect(response.status == 200)
    }

    @Test func readsOnlyLeavesPutAlone() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let policy = ExponentialRetryPolicy(backoff: .immediate, jitter: .none, repeats: .readsOnly)
        let response = try await engine(transport, policy: policy).send(
            try request(.put), context: RequestContext())
        #expect(response.status == 503)
    }

    @Test func aOneShotBodyIsNeverSentTwice() async throws {
        let transport = ScriptedTransport { request, _ in
            if case .once(_, let stream) = request.body.storage { _ = stream.take() }
            return .status(503)
        }
        let stream = AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
        let response = try await engine(transport).send(
            try request(.put, body: .once(stream)), context: RequestContext())
        #expect(response.status == 503)
        #expect(transport.requests.count == 1)
    }

    @Test func aPolicyCannotRetryA401() async throws {
        let transport = ScriptedTransport(.status(401), .status(200))
        let policy = ExponentialRetryPolicy(
            backoff: .immediate, retryableStatuses: [401], repeats: .everything)
        let response = try await engine(transport, policy: policy).send(
            try request(.get), context: RequestContext())
        #expect(response.status == 401)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
        NetworkError.Code.tokenUnavailable, .tokenOutcomeUnknown, .tokenStoreFailed,
        .reauthenticationRequired,
    ])
    func anErrorOfAuthenticationIsNotRetried(code: NetworkError.Code) async throws {
        let transport = ScriptedTransport(.failure(NetworkError(code, "down")), .status(200))
        await #expect(throws: NetworkError.self) {
            try await self.engine(transport).send(try self.request(.get), context: RequestContext())
        }
        #expect(transport.requests.count == 1)
    }

    @Test func retryAfterIsObeyed() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(503, fields: [.retryAfter: "7"]), .status(200))
        let engine = engine(transport, clock: clock)
        let request = try request(.get)
        async let response = engine.send(request, context: RequestContext())
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.seconds(7)])
        clock.advance(by: .seconds(7))
        #expect(try await response.status == 200)
    }

    @Test func aRetryAfterPastTheDeadlineEndsTheCallNow() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(503, fields: [.retryAfter: "7"]), .status(200))
        let context = RequestContext(options: CallOptions(deadline: .seconds(5)), clock: clock)
        let response = try await engine(transport, clock: clock).send(try request(.get), context: context)
        #expect(response.status == 503)
        #expect(clock.requestedDelays.isEmpty)
    }

    @Test func cancellationEndsTheWait() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(503))
        let engine = engine(transport, policy: .fixed(attempts: 3, delay: .seconds(5)), clock: clock)
        let request = try request(.get)
        let call = Task { try await engine.send(request, context: RequestContext()) }
        await clock.waitForSleepers(1)
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled)
        #expect(error?.attempts == 1)
    }

    @Test func theCallsOwnPolicyWins() async throws {
        let transport = ScriptedTransport(.status(503))
        var context = RequestContext()
        context.retry = .immediate(attempts: 5)
        _ = try await engine(transport).send(try request(.get), context: context)
        #expect(transport.requests.count == 5)
    }

    @Test func aRetryIsAnEvent() async throws {
        let recorder = EventRecorder()
        let transport = ScriptedTransport(.status(503), .status(200))
        var context = RequestContext()
        context.events = recorder
        _ = try await engine(transport).send(try request(.get), context: context)
        let event = try #require(
            recorder.events.first { if case .retryScheduled = $0.kind { true } else { false } })
        guard case .retryScheduled(_, let status, _) = event.kind else { return }
        #expect(event.attempt == .first)
        #expect(status == 503)
    }
}
