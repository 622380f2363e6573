import GatewayCore
import GatewayTesting
import Synchronization
import TestTiers
import Testing

@testable import GatewayResilience

@Suite(.tags(.concurrent)) struct CoalescingEngineTests {
    /// A coalescer over a transport whose answers wait at a gate.
    private struct Rig {
        let gate = Gate()
        let clock = ManualClock()
        let transport: ScriptedTransport
        let engine: CoalescingEngine<AttemptEngine>

        init() {
            let gate = gate
            let transport = ScriptedTransport { _, index in
                await gate.pass()
                return .status(200, "answer \(index)")
            }
            self.transport = transport
            engine = CoalescingEngine(below: AttemptEngine(transport: transport), clock: clock)
        }

        func call(
            _ url: String = "http://h/x", fields: HTTPFields = HTTPFields(), context: RequestContext? = nil
        ) -> Task<HTTPResponse, any Error> {
            let engine = engine
            return Task {
                try await engine.send(
                    try HTTPRequest(.get, url, fields: fields), context: context ?? RequestContext())
            }
        }

        /// Returns when that many calls follow another.
        func settle(followers: Int) async {
            await eventually { engine.followerCount == followers }
        }
    }

    @Test func equalCallsShareOneFlight() async throws {
        let rig = Rig()
        let calls = (0..<100).map { _ in rig.call() }
        await rig.settle(followers: 99)
        rig.gate.open()
        for call in calls { #expect(try await call.value.body.bytes == Array("answer 0".utf8)) }
        #expect(rig.transport.requests.count == 1)
        #expect(rig.engine.flightCount == 0)
        #expect(rig.engine.followerCount == 0)
    }

    @Test func anotherTakesOverFromOneThatIsCancelled() async throws {
        let rig = Rig()
        let first = rig.call()
        await rig.gate.waitForArrivals(1)
        let others = (0..<9).map { _ in rig.call() }
        await rig.settle(followers: 9)
        first.cancel()
        rig.gate.open()
        let error = await #expect(throws: NetworkError.self) { try await first.value }
        #expect(error?.code == .cancelled)
        for call in others { #expect(try await call.value.body.bytes == Array("answer 1".utf8)) }
        #expect(rig.transport.requests.count == 2)
    }

    @Test func anAnswerOfAnEqualCallSaysSo() async throws {
        let rig = Rig()
        let first = rig.call()
        await rig.gate.waitForArrivals(1)
        let second = rig.call()
        await rig.settle(followers: 1)
        rig.gate.open()
        #expect(try await first.value.exchange.source == .network)
        #expect(try await second.value.exchange.source == .coalesced)
    }

    @Test func cancellingAFollowerDisturbsNobody() async throws {
        let rig = Rig()
        let first = rig.call()
        await rig.gate.waitForArrivals(1)
        let others = (0..<9).map { _ in rig.call() }
        await rig.settle(followers: 9)
        others[3].cancel()
        await #expect(throws: NetworkError.self) { try await others[3].value }
        rig.gate.open()
        for (index, call) in ([first] + others).enumerated() where index != 4 {
            #expect(try await call.value.body.bytes == Array("answer 0".utf8))
        }
        #expect(rig.transport.requests.count == 1)
    }

    @Test func oneThatRunsOutOfTimeIsSucceededByOneWhoHasSome() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let transport = ScriptedTransport { request, index in
            await gate.pass()
            return index == 0 ? .failure(NetworkError(.timeout, "too late", phase: .call)) : .status(200)
        }
        let engine = CoalescingEngine(below: AttemptEngine(transport: transport), clock: clock)
        let request = try HTTPRequest(.get, "http://h/x")
        func call(_ seconds: Int) -> Task<HTTPResponse, any Error> {
            let context = RequestContext(options: CallOptions(deadline: .seconds(seconds)), clock: clock)
            return Task { try await engine.send(request, context: context) }
        }
        let hasty = call(1)
        await gate.waitForArrivals(1)
        let patient = call(60)
        await eventually { engine.followerCount == 1 }
        clock.advance(by: .seconds(1))
        gate.open()
        let error = await #expect(throws: NetworkError.self) { try await hasty.value }
        #expect(error?.code == .timeout)
        #expect(try await patient.value.status == 200)
    }

    /// Retries below coalescing, as in the whole engine, over a transport that answers 503 once for each leader.
    private func retrying(
        _ transport: ScriptedTransport, _ clock: ManualClock, policy: any RetryPolicy
    ) -> CoalescingEngine<RetryEngine<AttemptEngine>> {
        CoalescingEngine(
            below: RetryEngine(
                below: AttemptEngine(transport: transport), policy: policy, clock: clock,
                random: SeededRandomSource(seed: 1)), clock: clock)
    }

    @Test func aLeaderWithoutTimeForARetryHandsOver() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .status(index == 0 ? 503 : 200)
        }
        let engine = retrying(transport, clock, policy: .fixed(attempts: 2, delay: .seconds(5)))
        let request = try HTTPRequest(.get, "http://h/x")
        func call(_ seconds: Int) -> Task<HTTPResponse, any Error> {
            let context = RequestContext(options: CallOptions(deadline: .seconds(seconds)), clock: clock)
            return Task { try await engine.send(request, context: context) }
        }
        let hasty = call(2)
        await gate.waitForArrivals(1)
        let patient = (call(60), call(30))
        let others = [call(4), call(5)]
        await eventually { engine.followerCount == 4 }
        gate.open()
        // So do those whose deadline comes before the next attempt.
        for call in [hasty] + others { #expect(try await call.value.status == 503) }
        // A follower waits as the policy says; when it is cancelled, the next one waits for the rest.
        await clock.waitForSleepers(1)
        let last = call(40)
        await eventually { engine.followerCount == 2 }
        patient.0.cancel()
        let cancelled = await #expect(throws: NetworkError.self) { try await patient.0.value }
        #expect(cancelled?.attempts == 1 && cancelled?.mayHaveBeenSent == true)
        await eventually { engine.followerCount == 1 }
        await clock.waitForSleepers(1)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(5))
        // The attempt of the call that had no time counts for those that went on from it.
        #expect(try await last.value.exchange.attempts == 2)
        #expect(try await patient.1.value.exchange.attempts == 2)
        #expect(transport.requests.count == 2)
        #expect(engine.flightCount == 0)
    }

    @Test func followersWithoutMoreTimeGetTheOutcome() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(503)
        }
        let engine = retrying(transport, clock, policy: .fixed(attempts: 2, delay: .seconds(5)))
        let request = try HTTPRequest(.get, "http://h/x")
        let context = RequestContext(options: CallOptions(deadline: .seconds(3)), clock: clock)
        let calls = (0..<3).map { _ in Task { try await engine.send(request, context: context) } }
        await gate.waitForArrivals(1)
        await eventually { engine.followerCount == 2 }
        gate.open()
        for call in calls { #expect(try await call.value.status == 503) }
        #expect(transport.requests.count == 1)
    }

    @Test func callsWithOtherRetryPoliciesAreOtherCalls() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { _, index in
            await gate.pass()
            return .status(index < 2 ? 503 : 200)
        }
        let engine = retrying(transport, clock, policy: .immediate(attempts: 3))
        let request = try HTTPRequest(.get, "http://h/x")
        func call(_ policy: (any RetryPolicy)?) -> Task<HTTPResponse, any Error> {
            let context = RequestContext(options: CallOptions(retry: policy))
            return Task { try await engine.send(request, context: context) }
        }
        let once = (call(.never), call(.never))
        await gate.waitForArrivals(1)
        await eventually { engine.followerCount == 1 }
        let more = (call(nil), call(nil))
        await gate.waitForArrivals(2)
        await eventually { engine.followerCount == 2 }
        gate.open()
        #expect(try await once.0.value.status == 503)
        #expect(try await once.1.value.status == 503)
        #expect(try await more.0.value.status == 200)
        #expect(try await more.1.value.status == 200)
        #expect(transport.requests.count == 3)
    }

    @Test func theLastOneOutCancelsTheFlight() async throws {
        let transport = ScriptedTransport { _, _ in
            // Each attempt ends when it is cancelled: a response would be that of those who have not left yet.
            let cancelled = Gate()
            await withTaskCancellationHandler {
                await cancelled.pass()
            } onCancel: {
                cancelled.open()
            }
            return .failure(NetworkError(.cancelled, "The task was cancelled."))
        }
        let engine = CoalescingEngine(below: AttemptEngine(transport: transport))
        let request = try HTTPRequest(.get, "http://h/x")
        let calls = (0..<3).map { _ in Task { try await engine.send(request, context: RequestContext()) } }
        await eventually { engine.followerCount == 2 && transport.requests.count == 1 }
        for call in calls { call.cancel() }
        for call in calls { await #expect(throws: NetworkError.self) { try await call.value } }
        #expect(engine.flightCount == 0)
    }

    @Test func nobodyIsGivenAnothersCancellation() async throws {
        let rig = Rig()
        let first = rig.call()
        await rig.gate.waitForArrivals(1)
        first.cancel()
        let second = rig.call()
        await rig.settle(followers: 1)
        rig.gate.open()
        await #expect(throws: NetworkError.self) { try await first.value }
        #expect(try await second.value.status == 200)
        #expect(rig.transport.requests.count == 2)
    }

    @Test func eachCallKeepsItsOwnDeadline() async throws {
        let rig = Rig()
        func context(_ seconds: Int) -> RequestContext {
            RequestContext(options: CallOptions(deadline: .seconds(seconds)), clock: rig.clock)
        }
        let patient = rig.call(context: context(60))
        await rig.gate.waitForArrivals(1)
        let hasty = rig.call(context: context(2))
        let hastier = rig.call(context: context(1))
        await rig.settle(followers: 2)
        await rig.clock.waitForSleepers(1)
        await eventually {
            rig.clock.advanceToNextSleeper()
            return rig.engine.followerCount == 0
        }
        for (call, limit) in [(hasty, "2 s"), (hastier, "1 s")] {
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.code == .timeout)
            #expect(error?.phase == .call && error?.attempts == 0)
            #expect(
                error?.message
                    == "The call's deadline of \(limit) passed while it waited for an equal call in progress."
            )
        }
        rig.gate.open()
        #expect(try await patient.value.status == 200)
        #expect(rig.transport.requests.count == 1)
    }

    @Test func aReplayDoesNotJoinAFlightWithTheRejectedToken() async throws {
        let rig = Rig()
        var replay = RequestContext()
        replay.minimumGeneration = 2
        let old = rig.call()
        await rig.gate.waitForArrivals(1)
        let replays = (0..<5).map { _ in rig.call(context: replay) }
        await rig.gate.waitForArrivals(2)
        await rig.settle(followers: 4)
        let late = rig.call()
        await rig.settle(followers: 5)
        rig.gate.open()
        #expect(try await old.value.body.bytes == Array("answer 0".utf8))
        for call in replays + [late] { #expect(try await call.value.body.bytes == Array("answer 1".utf8)) }
        #expect(rig.transport.requests.count == 2)
    }

    @Test func whatDiffersDoesNotShare() async throws {
        let rig = Rig()
        rig.gate.open()
        let variants: [(String, HTTPFields)] = [
            ("http://h/x", [:]), ("http://h/y", [:]), ("http://h:81/x", [:]), ("https://h/x", [:]),
            ("http://h/x?a", [:]), ("http://h/x", [.authorization: "Bearer a"]),
            ("http://h/x", [.authorization: "Bearer b"]), ("http://h/x", [.cookie: "a=1"]),
            ("http://h/x", ["X-Api-Key": "k"]), ("http://h/x", [.accept: "text/html"]),
        ]
        let context = RequestContext()
        let identities = try variants.map {
            RequestIdentity(try HTTPRequest(.get, $0.0, fields: $0.1), context: context)
        }
        #expect(Set(identities.compactMap(\.self)).count == variants.count)
    }

    @Test func callsOfTwoCredentialsDoNotShare() throws {
        let request = try HTTPRequest(.get, "http://h/x")
        func identity(_ key: String, _ epoch: UInt64) -> RequestIdentity? {
            var context = RequestContext()
            context.credentials = FixedCredential(CredentialIdentity(key: key, epoch: epoch))
            return RequestIdentity(request, context: context)
        }
        let identities = [
            identity("a", 1), identity("b", 1), identity("a", 2),
            RequestIdentity(request, context: RequestContext()),
        ]
        #expect(Set(identities).count == 4)
        #expect(identity("a", 1) == identity("a", 1))
    }

    @Test func whatMayNotBeSharedIsNot() throws {
        let context = RequestContext()
        let stream = HTTPBody.once(AsyncThrowingStream { $0.finish() })
        let unshared = [
            try HTTPRequest(.post, "http://h/x"), try HTTPRequest(.put, "http://h/x"),
            try HTTPRequest(.get, "http://h/x", fields: [.range: "bytes=0-1"]),
            try HTTPRequest(.get, "http://h/x", fields: ["Cache-Control": "max-age=0, No-Store"]),
            try HTTPRequest(.get, "http://h/x", body: stream),
        ]
        for request in unshared { #expect(RequestIdentity(request, context: context) == nil) }
        var streamed = context
        streamed.response = .stream
        #expect(RequestIdentity(try HTTPRequest(.get, "http://h/x"), context: streamed) == nil)
    }

    @Test func aJoinIsAnEvent() async throws {
        let rig = Rig()
        let recorder = EventRecorder()
        var context = RequestContext()
        context.events = recorder
        let calls = [rig.call(context: context), rig.call(context: context)]
        await rig.settle(followers: 1)
        rig.gate.open()
        for call in calls { _ = try await call.value }
        let joins = recorder.events.filter { if case .deduplicated = $0.kind { true } else { false } }
        #expect(joins.count == 1)
    }

    @Test func everyCallGetsOneAnswerWhoeverIsCancelled() async throws {
        let random = SeededRandomSource(seed: TestSeed.value(11))
        for _ in 0..<20 {
            let rig = Rig()
            let calls = (0..<200).map { _ in rig.call("http://h/\(random.int(in: 0..<5))") }
            var cancelled: Set<Int> = []
            for (index, call) in calls.enumerated() where random.int(in: 0..<5) == 0 {
                call.cancel()
                cancelled.insert(index)
            }
            rig.gate.open()
            for (index, call) in calls.enumerated() {
                switch await call.result {
                case .success(let response): #expect(response.status == 200)
                case .failure(let error):
                    #expect(cancelled.contains(index) && (error as? NetworkError)?.code == .cancelled)
                }
            }
            #expect(rig.engine.followerCount == 0)
            #expect(rig.engine.flightCount == 0)
        }
    }
}

/// A credential that is always there.
private final class FixedCredential: CredentialSource {
    let identity: CredentialIdentity
    init(_ identity: CredentialIdentity) { self.identity = identity }
    func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}
    func stamp(
        _ request: inout HTTPRequest, atLeast generation: UInt64
    ) throws(NetworkError) -> CredentialStamp? {
        CredentialStamp(identity: identity, generation: generation)
    }
}
