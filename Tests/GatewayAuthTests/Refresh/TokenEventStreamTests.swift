import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth
@testable import GatewayCore

/// Events of tokens and of the client's state, on the stream of the calls' events.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct TokenEventStreamTests {
    private static let origin = "https://api.example.com"

    /// A sink that wants certain events only.
    private final class Selective: RequestEventSink {
        let interests: EventInterests
        let recorder = EventRecorder()
        init(_ interests: EventInterests) { self.interests = interests }
        func record(_ event: borrowing RequestEvent) { recorder.record(event) }
        func record(_ event: borrowing TokenEvent) { recorder.record(event) }
        func record(_ event: borrowing StateEvent) { recorder.record(event) }
    }

    private func engine(
        _ coordinator: TokenRefreshCoordinator, _ events: any RequestEventSink, clock: ManualClock
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.coalescing = nil
        configuration.events = events
        configuration.clock = clock
        configuration.authentication = .init(
            coordinator: coordinator, scope: try CredentialScope([Self.origin]))
        let transport = ScriptedTransport { _, _ in .status(200) }
        return GatewayEngine(transport: transport, tokenTransport: transport, configuration: configuration)
    }

    private func kinds(_ recorder: EventRecorder) -> [String] {
        recorder.tokenEvents.map { String("\($0.kind)".prefix { $0 != "(" }) }
    }

    @Test func aTokenEventNamesTheCallsThatWait() async throws {
        let (clock, gate, recorder) = (ManualClock(), Gate(), EventRecorder())
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let engine = try engine(coordinator, recorder, clock: clock)
        let calls = (0..<3).map { index in
            Task { try await engine.send(try HTTPRequest(.get, Self.origin + "/\(index)")) }
        }
        await gate.waitForArrivals(1)
        await coordinator.waitForWaiters(3)
        gate.open()
        for call in calls { #expect(try await call.value.status == 200) }
        let ids = Set(recorder.events.map(\.callID))
        #expect(ids.count == 3)
        #expect(kinds(recorder) == ["refreshStarted", "refreshed"])
        let (started, refreshed) = (recorder.tokenEvents[0], recorder.tokenEvents[1])
        #expect(!started.waitingCalls.isEmpty && ids.isSuperset(of: started.waitingCalls))
        #expect(Set(refreshed.waitingCalls) == ids && refreshed.waitingCalls.count == 3)
        #expect(refreshed.credential == coordinator.identity() && refreshed.generation == 1)
        #expect(refreshed.instant == clock.now)
        // They wait no more.
        #expect(coordinator.slot(for: .default).waitingCalls.withLock { $0.ids }.isEmpty)
    }

    @Test func aRefreshInTheBackgroundNamesNoCall() async throws {
        let (clock, recorder) = (ManualClock(), EventRecorder())
        let coordinator = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer(expiresIn: .seconds(1000)), clock: clock,
            random: SeededRandomSource(seed: 1))
        let engine = try engine(coordinator, recorder, clock: clock)
        let request = try HTTPRequest(.get, Self.origin + "/")
        _ = try await engine.send(request)
        clock.advance(by: .seconds(960))
        _ = try await engine.send(request)
        await eventually { recorder.tokenEvents.count == 4 }
        #expect(kinds(recorder) == ["refreshStarted", "refreshed", "refreshStarted", "refreshed"])
        #expect(recorder.tokenEvents[2].waitingCalls.isEmpty && recorder.tokenEvents[3].waitingCalls.isEmpty)
    }

    @Test func whatNobodyWantsIsNotCollected() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let sink = Selective([.calls, .state])
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let engine = try engine(coordinator, sink, clock: clock)
        let call = Task { try await engine.send(try HTTPRequest(.get, Self.origin + "/")) }
        await gate.waitForArrivals(1)
        await coordinator.waitForWaiters(1)
        #expect(coordinator.slot(for: .default).waitingCalls.withLock { $0.ids }.isEmpty)
        gate.open()
        _ = try await call.value
        #expect(sink.recorder.tokenEvents.isEmpty && !sink.recorder.events.isEmpty)
    }

    /// Tokens outlive engines, and must not keep their sinks.
    @Test func theSinkEndsWithItsEngine() async throws {
        let clock = ManualClock()
        let coordinator = TokenRefreshCoordinator(acquirer: ScriptedAcquirer(), clock: clock)
        weak var ended: EventRecorder?
        do {
            let recorder = EventRecorder()
            ended = recorder
            let engine = try engine(coordinator, recorder, clock: clock)
            _ = try await engine.send(try HTTPRequest(.get, Self.origin + "/"))
            #expect(recorder.tokenEvents.count == 2)
        }
        await eventually { ended == nil }
        coordinator.signOut()
        #expect(!coordinator.slot(for: .default).environment.isObserved)
    }

    @Test func suspendedRefreshesAreReported() async throws {
        let (clock, recorder) = (ManualClock(), EventRecorder())
        let gateway = FakeGateway()
        let engine = AuthenticatedRequestEngine(
            transport: gateway,
            coordinator: TokenRefreshCoordinator(
                acquirer: ScriptedAcquirer(), clock: clock, random: SeededRandomSource(seed: 1)),
            scope: try CredentialScope([Self.origin]), clock: clock)
        func send() async -> NetworkError? {
            var context = RequestContext(clock: clock)
            context.events = recorder
            do {
                _ = try await engine.send(try HTTPRequest(.get, Self.origin + "/"), context: context)
                return nil
            } catch {
                return NetworkError(wrapping: error)
            }
        }
        for _ in 0..<5 { #expect(await send() == nil) }
        let error = await send()
        #expect(error?.code == .refreshSuspended && error?.isLocalRejection == true)
        clock.advance(by: .seconds(30))
        gateway.accept(["token-7"])
        #expect(await send() == nil)
        #expect(
            recorder.stateEvents.map(\.kind) == [
                .refreshSuspended(for: RejectionCircuit.pause), .refreshResumed,
            ])
        #expect(recorder.stateEvents.allSatisfy { $0.origin?.description == Self.origin })
    }

    @Test func aBufferCarriesEveryType() async throws {
        let names = Locked<[String]>([])
        let sink = BufferedEventSink(capacity: 10, interests: [.calls, .tokens]) { event in
            names.withLock { $0.append(String("\(event)".prefix { $0 != "(" })) }
        }
        let coordinator = TokenRefreshCoordinator(acquirer: ScriptedAcquirer())
        let engine = try engine(coordinator, sink, clock: ManualClock())
        _ = try await engine.send(try HTTPRequest(.get, Self.origin + "/"))
        await sink.finish()
        let expected: Set = ["call", "token"]
        #expect(Set(names.withLock { $0 }) == expected)
    }
}
