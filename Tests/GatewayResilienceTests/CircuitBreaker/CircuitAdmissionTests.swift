import GatewayCore
import GatewayTesting
import Synchronization
import TestTiers
import Testing

@testable import GatewayResilience

/// Circuit breakers in an engine.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct CircuitAdmissionTests {
    private let clock = ManualClock()
    private let origin: Origin

    init() throws { origin = try Origin("http://h") }

    private func registry(
        hosts: CircuitBreakerPolicy? = .aggressive, operations: CircuitBreakerPolicy? = .aggressive
    ) throws -> CircuitBreakerRegistry {
        try CircuitBreakerRegistry(hosts: hosts, operations: operations, named: .aggressive, clock: clock)
    }

    private func engine(
        _ transport: some Transport, _ registry: CircuitBreakerRegistry,
        _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.circuitBreakers = registry
        configuration.retry.policy = .never
        configuration.clock = clock
        change(&configuration)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    private func request() throws -> HTTPRequest { try HTTPRequest(.get, "http://h/x") }

    /// The result of a call: its status, or the code of its error.
    private func call(
        _ engine: AsyncRequestEngine, _ operation: Operation? = nil, _ options: CallOptions = CallOptions()
    ) async throws -> String {
        let request = try request()
        do throws(NetworkError) {
            return "\(try await engine.send(request, options: options, operation: operation).status)"
        } catch {
            return error.code.name
        }
    }

    private func calls(
        _ count: Int, _ engine: AsyncRequestEngine, _ operation: Operation? = nil,
        _ options: CallOptions = CallOptions()
    ) async throws -> [String] {
        var results: [String] = []
        for _ in 0..<count { results.append(try await call(engine, operation, options)) }
        return results
    }

    private static func hang(_ phase: NetworkError.Phase, limit: NetworkError.Phase = .call) -> NetworkError {
        NetworkError(.timeout, "Late.", phase: phase, limit: limit)
    }

    // MARK: What is counted

    @Test func aHostThatFailsIsLeftInPeace() async throws {
        let transport = ScriptedTransport(.status(503))
        let registry = try registry()
        let engine = engine(transport, registry)
        #expect(try await calls(5, engine) == ["503", "503", "503", "circuit_open", "circuit_open"])
        #expect(transport.requests.count == 3)
        clock.advance(by: try #require(registry.breaker(for: .host(origin)).retryAfter))
        #expect(try await calls(2, engine) == ["503", "circuit_open"])
    }

    /// A deadline that passes while the server has the request counts; one that passes before it is sent does not.
    @Test func aHangCountsAndAWaitDoesNot() async throws {
        for phase in [NetworkError.Phase.resolve, .connect, .tls, .send, .firstByte, .receive] {
            let engine = engine(ScriptedTransport(.failure(Self.hang(phase))), try registry())
            #expect(try await calls(4, engine).last == "circuit_open", "\(phase)")
        }
        for phase in [NetworkError.Phase.queue, .credential, .produce, .consume] {
            let engine = engine(ScriptedTransport(.failure(Self.hang(phase))), try registry())
            #expect(try await calls(10, engine).last == "timeout", "\(phase)")
        }
    }

    @Test func statusesOfOneCallerAreNoFailures() async throws {
        for status in [401, 403, 404, 429, 500] {
            let engine = engine(ScriptedTransport(.status(status)), try registry())
            #expect(try await calls(10, engine).last == "\(status)")
        }
    }

    @Test func localRejectionsAndCancellationsAreNotCounted() async throws {
        for code in [NetworkError.overloaded, .closed, .cancelled, .circuitOpen] {
            let engine = engine(
                ScriptedTransport(.failure(NetworkError(code, "Refused.", phase: .queue))), try registry())
            #expect(try await calls(10, engine).last == code.name)
        }
    }

    /// Cannot stamp the first request, although it was ready.
    private final class Expiring: CredentialSource {
        let identity = CredentialIdentity(key: "expiring", epoch: 1)
        private let isGone = Locked(true)

        func isReady(atLeast generation: UInt64) -> Bool { true }
        func ready(atLeast generation: UInt64, deadline: Deadline?) async throws(NetworkError) {}

        func stamp(
            _ request: inout HTTPRequest, atLeast generation: UInt64
        ) throws(NetworkError) -> CredentialStamp? {
            let isGone = isGone.withLock { isGone in
                defer { isGone = false }
                return isGone
            }
            return isGone ? nil : CredentialStamp(identity: identity, generation: 1)
        }
    }

    /// An attempt whose credential is gone when it has its permit is no sample, and its ticket comes back.
    @Test func aCredentialThatIsGoneIsNothing() async throws {
        let registry = try registry()
        let breaker = registry.breaker(for: .host(origin))
        for _ in 0..<3 { _ = try? await breaker.execute { throw NetworkError(.connectionLost, "Lost.") } }
        breaker.halfOpen()
        let engine = engine(ScriptedTransport(.status(200)), registry)
        let (request, context) = (try request(), RequestContext(credentials: Expiring(), clock: clock))
        for _ in 0..<2 { #expect(try await engine.send(request, context: context).status == 200) }
        #expect(breaker.state == .closed)
    }

    @Test func aCancelledProbeIsReplaced() async throws {
        let (registry, gate) = (try registry(), Gate())
        let transport = ScriptedTransport { _, index in
            if index < 3 { return .status(503) }
            if index == 3 { await gate.pass() }
            return .status(200)
        }
        let engine = engine(transport, registry) { $0.coalescing = nil }
        #expect(try await calls(4, engine).last == "circuit_open")
        registry.halfOpenAll()
        let probe = Task { try await call(engine) }
        await gate.waitForArrivals(1)
        #expect(try await call(engine) == "circuit_open", "one probe at a time")
        probe.cancel()
        gate.open()
        #expect(try await probe.value == "cancelled")
        #expect(registry.breaker(for: .host(origin)).state == .halfOpen)
        #expect(try await call(engine) == "200")
        #expect(registry.breaker(for: .host(origin)).state == .closed)
    }

    // MARK: Rejections

    @Test func aRejectionIsNoAttemptAndIsNotRetried() async throws {
        let transport = ScriptedTransport(.status(503))
        let engine = engine(transport, try registry()) { $0.retry.policy = .immediate(attempts: 10) }
        // The call has a response already.
        let response = try await engine.send(try request())
        #expect(response.status == 503 && response.exchange.attempts == 3 && transport.requests.count == 3)
        let second = await #expect(throws: NetworkError.self) { _ = try await engine.send(try request()) }
        #expect(second?.attempts == 0 && second?.isLocalRejection == true)
        #expect(second?.origin == origin && (second?.retryAfter ?? .zero) > .seconds(13))
        #expect(second?.message.contains("'http://h'") == true && transport.requests.count == 3)
    }

    // MARK: Tiers and choices

    @Test func anOperationThatFailsDoesNotStopTheOthers() async throws {
        let transport = ScriptedTransport { request, _ in
            request.fields["X-Bad"] == nil ? .status(200) : .failure(Self.hang(.firstByte))
        }
        let registry = try registry()
        let engine = engine(transport, registry)
        let bad = CallOptions(fields: ["X-Bad": "1"])
        #expect(try await calls(4, engine, "bad", bad).last == "circuit_open")
        #expect(try await calls(4, engine, "good").last == "200")
        #expect(try await call(engine) == "200")
        let key = CircuitBreakerRegistry.Key.operation(origin, "bad")
        #expect(registry.states[key] == .open && registry.states[.host(origin)] == .closed)
    }

    @Test func aHostThatCannotBeReachedStopsAllItsOperations() async throws {
        let isUp = Locked(false)
        let transport = ScriptedTransport { _, _ in
            isUp.withLock { $0 }
                ? .status(200) : .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect))
        }
        let registry = try registry()
        let engine = engine(transport, registry)
        #expect(try await calls(3, engine, "a").last == "connection_refused")
        #expect(try await call(engine, "d") == "circuit_open")
        #expect(registry.states[.operation(origin, "a")] == .closed, "the host counts it")
        isUp.withLock { $0 = true }
        registry.halfOpenAll()
        #expect(try await calls(2, engine, "a") == ["200", "200"])
        #expect(registry.states[.host(origin)] == .closed)
    }

    /// The ticket of the host comes back if the operation's circuit is open.
    @Test func aRejectedOperationHoldsNoProbeOfItsHost() async throws {
        let transport = ScriptedTransport(.status(200))
        let registry = try registry()
        let engine = engine(transport, registry)
        _ = registry.breaker(guarding: origin, RequestContext(operation: "a"))
        registry.breaker(for: .operation(origin, "a")).isolate()
        let host = registry.breaker(for: .host(origin))
        for _ in 0..<3 { _ = try? await host.execute { throw NetworkError(.connectionLost, "Lost.") } }
        host.halfOpen()
        #expect(try await calls(3, engine, "a").last == "circuit_open")
        #expect(host.state == .halfOpen)
        #expect(try await call(engine, "b") == "200")
        #expect(host.state == .closed)
    }

    @Test func aCallMayNameItsBreakerOrHaveNone() async throws {
        let transport = ScriptedTransport(.status(503))
        let registry = try registry()
        let engine = engine(transport, registry) {
            $0.operations = ["health": CallOptions(circuitBreaker: .off)]
        }
        let named = CallOptions(circuitBreaker: .named("payments"))
        #expect(try await calls(4, engine, nil, named).last == "circuit_open")
        #expect(registry.states == ["payments": .open])
        #expect(try await calls(9, engine, nil, CallOptions(circuitBreaker: .off)).last == "503")
        #expect(try await calls(9, engine, "health").last == "503")
        #expect(registry.states == ["payments": .open])
        #expect(
            try await calls(4, engine, "health", CallOptions(circuitBreaker: .engine)).last == "circuit_open")
    }

    /// A call with another breaker must not get the rejection of one that came first.
    @Test func callsWithOtherBreakersAreOtherCalls() throws {
        let request = try request()
        func identity(_ choice: CircuitBreakerChoice?) -> RequestIdentity? {
            RequestIdentity(request, context: RequestContext(options: CallOptions(circuitBreaker: choice)))
        }
        #expect(identity(nil) == identity(.engine) && identity(.named("a")) == identity(.named("a")))
        #expect(identity(nil) != identity(.off) && identity(.named("a")) != identity(.named("b")))
    }

    // MARK: Streams and slow calls

    /// The time that a reader takes does not make a call slow, nor does it hold a probe.
    @Test func aStreamIsAsFastAsItsHead() async throws {
        var policy = CircuitBreakerPolicy.aggressive
        policy.slowAfter = .seconds(2)
        policy.slowRate = .init(share: 0.5, minimumCalls: 1, window: .seconds(1_000))
        let stream = HeldStream()
        let registry = try registry(hosts: policy)
        let isSlow = Locked(false)
        let transport = ScriptedTransport { _, _ in
            if isSlow.withLock({ $0 }) { clock.advance(by: .seconds(2)) }
            return .streamed(status: 200, stream.chunks())
        }
        let engine = engine(transport, registry)
        let breaker = registry.breaker(for: .host(origin))
        for _ in 0..<3 { _ = try? await breaker.execute { throw NetworkError(.connectionLost, "Lost.") } }
        breaker.halfOpen()
        let probe = try await engine.stream(try request())
        #expect(breaker.state == .closed, "the head ends the probe")
        let response = try await engine.stream(try request())
        clock.advance(by: .seconds(60))
        response.body.discard()
        probe.body.discard()
        #expect(breaker.state == .closed && stream.holders == 0)
        isSlow.withLock { $0 = true }
        try await engine.stream(try request()).body.discard()
        #expect(breaker.state == .open)
    }

    /// A body that breaks off is a failure; one that the program does not read in time is not.
    @Test(arguments: [
        (NetworkError(.truncated, "Cut.", phase: .receive), true), (hang(.receive), true),
        (hang(.consume), false),
    ])
    func theBodyOfAStreamMayFail(error: NetworkError, counts: Bool) async throws {
        let transport = ScriptedTransport { _, _ in
            .streamed(
                status: 200, AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish(throwing: error) })
        }
        let registry = try registry()
        let engine = engine(transport, registry)
        for _ in 0..<3 {
            let response = try await engine.stream(try request())
            _ = await #expect(throws: NetworkError.self) { try await response.body.collect(upToBytes: 1) }
        }
        #expect((registry.breaker(for: .host(origin)).state == .open) == counts)
    }

    // MARK: Other parts

    /// Above another admission control: nobody waits there for a circuit that is open, and nothing is sent that waited
    /// while it opened.
    @Test func theTicketIsTakenAfterTheWait() async throws {
        final class Bulkhead: AdmissionControl {
            let log = Locked<[String]>([])
            let gate: Gate
            init(_ gate: Gate) { self.gate = gate }
            struct Permit: AdmissionPermit {
                let owner: Bulkhead
                func end(_ outcome: AdmissionOutcome) {
                    let text =
                        switch outcome {
                        case .response(let status): "\(status)"
                        case .failed(let error): error.code.name
                        case .notSent: "not sent"
                        }
                    owner.log.withLock { $0.append(text) }
                }
            }
            func enter(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> any AdmissionPermit {
                log.withLock { $0.append("enter") }
                await gate.pass()
                return Permit(owner: self)
            }
        }
        let bulkhead = Bulkhead(Gate())
        let transport = ScriptedTransport(.status(200))
        let registry = try registry()
        let engine = engine(transport, registry) { $0.protection.admission = bulkhead }
        let waiting = Task { try await call(engine) }
        await bulkhead.gate.waitForArrivals(1)
        registry.breaker(for: .host(origin)).isolate()
        #expect(try await call(engine, nil, CallOptions(cache: .reload)) == "circuit_open")
        // A traced attempt takes another way.
        let trace = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3)
        #expect(try await call(engine, nil, CallOptions(trace: trace, cache: .reload)) == "circuit_open")
        #expect(bulkhead.log.withLock { $0 } == ["enter"])
        bulkhead.gate.open()
        #expect(try await waiting.value == "circuit_open" && transport.requests.isEmpty)
        #expect(bulkhead.log.withLock { $0 } == ["enter", "not sent"])
        registry.resetAll()
        #expect(try await call(engine) == "200")
        try await engine.stream(try request()).body.discard()
        #expect(bulkhead.log.withLock { $0 } == ["enter", "not sent", "enter", "200", "enter", "200"])
    }

    @Test func changesAreEvents() async throws {
        let events = EventRecorder()
        let registry = try registry()
        let engine = engine(ScriptedTransport(.status(503)), registry) { $0.events = events }
        _ = try await calls(4, engine)
        registry.halfOpenAll()
        registry.breaker(for: "mail").isolate()
        registry.resetAll()
        let kinds = events.stateEvents.map(\.kind)
        guard case .circuitOpened("http://h", let time)? = kinds.first else {
            Issue.record("\(kinds)")
            return
        }
        #expect(time > .seconds(13) && time < .seconds(17))
        #expect(kinds[1...2] == [.circuitHalfOpened("http://h"), .circuitIsolated("mail")])
        #expect(Set(kinds[3...]) == [.circuitClosed("http://h"), .circuitClosed("mail")])
        #expect(events.stateEvents.prefix(3).map(\.origin) == [origin, origin, nil])
    }
}
