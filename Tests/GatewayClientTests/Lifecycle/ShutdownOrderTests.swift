import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// What ends with an engine, and in which order.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ShutdownOrderTests {
    private let clock = ManualClock()
    private let steps = Steps()

    /// What happened, in order.
    private final class Steps: Sendable {
        private let list = Locked<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ step: String) { list.withLock { $0.append(step) } }
    }

    private final class Part: EnginePart {
        let name: String
        let endsAfterCalls: Bool
        private let steps: Steps
        private let work: @Sendable (Deadline) async -> Void

        init(
            _ name: String, endsAfterCalls: Bool = false, _ steps: Steps,
            work: @escaping @Sendable (Deadline) async -> Void = { _ in }
        ) {
            (self.name, self.endsAfterCalls, self.steps, self.work) = (name, endsAfterCalls, steps, work)
        }

        func end(until deadline: Deadline) async {
            steps.add(name)
            await work(deadline)
        }
    }

    private final class Sink: RequestEventSink {
        private let steps: Steps
        init(_ steps: Steps) { self.steps = steps }

        func record(_ event: borrowing RequestEvent) {
            if case .succeeded = event.kind { steps.add("call ended") }
        }
        func flush() async { steps.add("flushed") }
    }

    private func engine(
        _ transport: any Transport, _ change: (inout GatewayConfiguration) throws -> Void = { _ in }
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        try change(&configuration)
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// shutdown.order
    @Test func partsThatMakeCallsEndFirstAndTheLogLast() async throws {
        let steps = steps
        let engine = try engine(ScriptedTransport(.status(200))) { $0.events = Sink(steps) }
        engine.join(Part("monitor", endsAfterCalls: true, steps))
        engine.join(
            Part("queue", steps) { [weak engine] _ in
                // It still makes a call, and the engine takes it.
                let request = try? HTTPRequest(.get, "http://127.0.0.1/x")
                if let engine, let request { _ = try? await engine.send(request) }
            })
        engine.join(Part("listener", steps))
        await engine.shutdown(within: .seconds(10))
        #expect(steps.all == ["listener", "queue", "call ended", "monitor", "flushed"])
        // Nothing ends twice.
        await engine.shutdown(within: .seconds(10))
        #expect(steps.all.filter { $0 != "flushed" }.count == 4)
    }

    /// shutdown.bounded
    @Test func aPartThatHangsLeavesTimeForTheOthers() async throws {
        let (gate, steps) = (Gate(), steps)
        defer { gate.open() }
        let engine = try engine(ScriptedTransport(.status(200))) { $0.events = Sink(steps) }
        let begin = clock.now
        let left = Locked<[Duration]>([])
        let note = { @Sendable (deadline: Deadline) in
            let rest = begin.duration(to: deadline.instant)
            left.withLock { $0.append(rest) }
        }
        engine.join(Part("late", endsAfterCalls: true, steps) { note($0) })
        engine.join(
            Part("hung", steps) {
                note($0)
                await gate.pass()
            })
        let shutdown = Task { await engine.shutdown(within: .seconds(20)) }
        await clock.waitForSleepers(1)
        #expect(await engine.health().isEnding)
        clock.advance(by: .seconds(19))
        await shutdown.value
        #expect(steps.all == ["hung", "late", "flushed"])
        // The last second was kept for what ends after the calls.
        #expect(left.withLock { $0 } == [.seconds(19), .seconds(20)])
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let error = await #expect(throws: NetworkError.self) { try await engine.send(request) }
        #expect(error?.code == .closed)
    }

    /// shutdown.tokens-stored
    @Test func aSignInIsStoredBeforeTheShutdownReturns() async throws {
        let (gate, steps) = (Gate(), steps)
        let store = HeldStore(MemoryTokenStore(clock: clock), gate)
        let coordinator = TokenRefreshCoordinator(
            acquirer: ProviderAcquirer(StaticTokenProvider(Secret("token"))), store: store, clock: clock)
        let engine = try engine(ScriptedTransport(.status(200))) {
            $0.authentication = .init(
                coordinator: coordinator, scope: try CredentialScope(["https://api.example.com"]))
        }
        engine.join(Part("log", endsAfterCalls: true, steps))
        coordinator.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("next")))
        await gate.waitForArrivals(1)
        let shutdown = Task { await engine.shutdown(within: .seconds(20)) }
        #expect(await isEventually { await engine.health().isEnding })
        #expect(steps.all.isEmpty)
        gate.open()
        await shutdown.value
        #expect(try await store.load(.default)?.generation ?? 0 > 0)
        #expect(steps.all == ["log"])
    }

    /// An engine can end with another one.
    @Test func enginesEndTogether() async throws {
        let first = try engine(ScriptedTransport(.status(200)))
        let second = try engine(ScriptedTransport(.status(200)))
        first.join(second)
        await first.shutdown(within: .seconds(5))
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        for engine in [first, second] {
            let error = await #expect(throws: NetworkError.self) { try await engine.send(request) }
            #expect(error?.code == .closed)
        }
    }

    /// The engine keeps the parts of the program until they end, and nothing after that.
    @Test func aPartIsKeptUntilItEnds() async throws {
        let engine = try engine(ScriptedTransport(.status(200)))
        weak var part: Part?
        do {
            let new = Part("part", steps)
            engine.join(new)
            part = new
        }
        #expect(part != nil)
        await engine.shutdown(within: .seconds(5))
        #expect(steps.all == ["part"])
        #expect(await isEventually { part == nil })
    }
}

/// Stores nothing before a gate is open.
private final class HeldStore: TokenStore {
    private let below: MemoryTokenStore
    private let gate: Gate

    init(_ below: MemoryTokenStore, _ gate: Gate) { (self.below, self.gate) = (below, gate) }

    var isDurable: Bool { below.isDurable }

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? { try await below.load(key) }

    func store(
        _ token: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        await gate.pass()
        return try await below.store(token, for: key, replacing: generation)
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        try await below.lock(key, deadline: deadline)
    }
}
