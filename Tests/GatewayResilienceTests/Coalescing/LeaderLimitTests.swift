import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCore
@testable import GatewayResilience

/// A leader that gives up earlier does not decide for followers that have more.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct LeaderLimitTests {
    private let clock = ManualClock()
    private let gate = Gate()

    private func engine(
        _ transport: ScriptedTransport, policy: any RetryPolicy = .never
    ) -> CoalescingEngine<RedirectEngine<RetryEngine<AttemptEngine>>> {
        CoalescingEngine(
            below: RedirectEngine(
                below: RetryEngine(
                    below: AttemptEngine(transport: transport), policy: policy, clock: clock,
                    random: SeededRandomSource(seed: 1)), policy: RedirectPolicy()), clock: clock)
    }

    private func call(
        _ engine: some RequestEngine, _ options: CallOptions,
        _ change: (inout RequestContext) -> Void = { _ in }
    ) -> Task<HTTPResponse, any Error> {
        var context = RequestContext(options: options, clock: clock)
        change(&context)
        return Task { [context] in
            try await engine.send(try HTTPRequest(.get, "http://h/x"), context: context)
        }
    }

    @Test(arguments: [nil, NetworkError.connectionLost] as [NetworkError.Code?])
    func aFollowerWithRetriesGetsItsOwnRetriedResult(failure: NetworkError.Code?) async throws {
        let transport = ScriptedTransport { [gate] _, index in
            await gate.pass()
            guard index < 2 else { return .status(200) }
            return failure.map { .failure(NetworkError($0, "lost", phase: .firstByte)) } ?? .status(503)
        }
        let engine = engine(transport, policy: .immediate(attempts: 3))
        let leader = call(engine, CallOptions(retry: .never))
        await gate.waitForArrivals(1)
        let follower = call(engine, CallOptions())
        await gate.waitForArrivals(2)
        gate.open()
        let outcome = await leader.result
        #expect((try? outcome.get().status) == (failure == nil ? 503 : nil))
        #expect(try await follower.value.status == 200)
    }

    /// The transport's clock and the engine's are read at different times.
    @Test func aDeadlineThatEndsAMomentEarlyIsTheLeadersAlone() async throws {
        let transport = ScriptedTransport { [gate] _, index in
            if index == 0 { await gate.pass() }
            return index == 0 ? .failure(NetworkError(.timeout, "too late", phase: .call)) : .status(200)
        }
        let engine = engine(transport)
        let hasty = call(engine, CallOptions(deadline: .seconds(1)))
        await gate.waitForArrivals(1)
        let patient = call(engine, CallOptions(deadline: .seconds(60)))
        await eventually { engine.followerCount == 1 }
        clock.advance(by: .seconds(1) - .microseconds(1))
        gate.open()
        await #expect(throws: NetworkError.self) { try await hasty.value }
        #expect(try await patient.value.status == 200)
    }

    /// A token request that takes longer than the deadline of the leader.
    private final class LateCredential: CredentialSource {
        let gate: Gate
        init(gate: Gate) { self.gate = gate }
        var identity: CredentialIdentity { CredentialIdentity(key: "late", epoch: 1) }

        func isReady(atLeast generation: UInt64) -> Bool { false }

        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {
            guard gate.arrivals == 0 else { return }
            await gate.pass()
            throw NetworkError(.tokenUnavailable, "down").with(unmetDelay: .seconds(7))
        }

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            CredentialStamp(identity: identity, generation: 1)
        }
    }

    /// Such as a wait for a token that ends after the deadline.
    @Test func whatALeaderHasNoTimeForIsWaitedForByOthers() async throws {
        let transport = ScriptedTransport { _, _ in .status(200) }
        let engine = engine(transport)
        let recorder = EventRecorder()
        let credential = LateCredential(gate: gate)
        let hasty = call(engine, CallOptions(deadline: .seconds(5))) { $0.credentials = credential }
        await gate.waitForArrivals(1)
        let patient = call(engine, CallOptions(deadline: .seconds(60))) {
            $0.credentials = credential
            $0.events = recorder
        }
        await eventually { engine.followerCount == 1 }
        gate.open()
        let error = await #expect(throws: NetworkError.self) { try await hasty.value }
        #expect(error?.code == .tokenUnavailable)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(7))
        #expect(try await patient.value.exchange.attempts == 1)
        // No attempt was made before: this is the first.
        #expect(recorder.events.filter { $0.attempt != .first }.isEmpty)
    }

    @Test func aLeaderThatIsCancelledEndsNobody() async throws {
        let transport = ScriptedTransport { [gate] _, index in
            if index == 0 { await gate.pass() }
            return index == 0 ? .failure(NetworkError(.connectionLost, "cut")) : .status(200)
        }
        let engine = engine(transport)
        let leader = call(engine, CallOptions())
        await gate.waitForArrivals(1)
        let followers = (0..<3).map { _ in call(engine, CallOptions()) }
        await eventually { engine.followerCount == 3 }
        leader.cancel()
        gate.open()
        await #expect(throws: NetworkError.self) { try await leader.value }
        for follower in followers { #expect(try await follower.value.status == 200) }
        #expect(transport.requests.count == 2)
    }

    /// A redirect that one call gets is followed by the other.
    @Test func callsThatFollowNoRedirectsAreOtherCalls() async throws {
        let transport = ScriptedTransport { [gate] request, _ in
            await gate.pass()
            return request.target == "/y" ? .status(200) : .status(302, fields: [.location: "/y"])
        }
        let engine = engine(transport)
        let staying = call(engine, CallOptions()) { $0.followsRedirects = false }
        await gate.waitForArrivals(1)
        let following = call(engine, CallOptions())
        await eventually { engine.followerCount == 1 || gate.arrivals == 2 }
        gate.open()
        #expect(try await staying.value.status == 302)
        #expect(try await following.value.status == 200)
    }

    @Test func callsThatWaitLongerForTheirResponseAreOtherCalls() throws {
        let request = try HTTPRequest(.get, "http://h/x")
        var context = RequestContext()
        let plain = RequestIdentity(request, context: context)
        context.isLimitedByDeadlineAlone = true
        #expect(RequestIdentity(request, context: context) != plain)
    }

    /// A first attempt that is answered with 503 once the gate is open, and what follows.
    private final class Attempts: RequestEngine {
        let services = EngineServices()
        private let gate: Gate
        private let others: [Result<Int, NetworkError>]
        private let sent = Locked(0)

        init(_ gate: Gate, _ others: Result<Int, NetworkError>...) {
            self.gate = gate
            self.others = others
        }

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            let index = sent.withLock { sent in
                sent += 1
                return sent - 1
            }
            if index == 0 { await gate.pass() }
            return HTTPResponse(
                status: index == 0 ? 503 : try others[min(index, others.count) - 1].get(), body: .bytes([]),
                exchange: Exchange(origin: request.origin))
        }
    }

    private func engine(_ attempts: Attempts) -> CoalescingEngine<RetryEngine<Attempts>> {
        let policy = ExponentialRetryPolicy(
            backoff: .exponential(base: .seconds(2), cap: .seconds(2)), jitter: .none)
        return CoalescingEngine(
            below: RetryEngine(
                below: attempts, policy: policy,
                clock: clock, random: SeededRandomSource(seed: 1)), clock: clock)
    }

    /// A leader that is cancelled while it waits for its retry, and a follower.
    private func cancelledLeader(
        _ engine: CoalescingEngine<RetryEngine<Attempts>>
    ) async throws -> Task<HTTPResponse, any Error> {
        let leader = call(engine, CallOptions())
        await gate.waitForArrivals(1)
        let follower = call(engine, CallOptions())
        await eventually { engine.followerCount == 1 }
        gate.open()
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        leader.cancel()
        let error = await #expect(throws: NetworkError.self) { try await leader.value }
        #expect(error?.code == .cancelled && error?.attempts == 1)
        await clock.waitForSleepers(1)
        return follower
    }

    @Test func theRetryOfACancelledLeaderIsMadeWhenItIsDue() async throws {
        let engine = engine(Attempts(gate, .success(200)))
        let follower = try await cancelledLeader(engine)
        clock.advance(by: .seconds(1))
        let response = try await follower.value
        #expect(response.status == 200 && response.exchange.attempts == 2)
    }

    @Test func aRetryThatTheNextLeaderMayNotSendLeavesTheResponseBeforeIt() async throws {
        let engine = engine(Attempts(gate, .failure(NetworkError(.circuitOpen, "open"))))
        let follower = try await cancelledLeader(engine)
        clock.advance(by: .seconds(1))
        let response = try await follower.value
        #expect(response.status == 503 && response.exchange.attempts == 1)
    }
}
