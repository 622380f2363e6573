import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// A bulkhead in an engine.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct BulkheadAdmissionTests {
    private let clock = ManualClock()
    private let origin: Origin
    private let gate = Gate()

    init() throws { origin = try Origin("http://h") }

    private func engine(
        _ transport: some Transport, _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(1), inAll: 4)
        configuration.clock = clock
        change(&configuration)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    /// Replies with 200; the first request, and those of a path that begins with `/held`, wait for the gate.
    private func held() -> ScriptedTransport {
        ScriptedTransport { [gate] request, index in
            if index == 0 || request.target.hasPrefix("/held") { await gate.pass() }
            return .status(200)
        }
    }

    private func call(
        _ engine: AsyncRequestEngine, _ target: String = "/x", _ options: CallOptions = CallOptions(),
        _ operation: GatewayCore.Operation? = nil
    ) throws -> Task<String, Never> {
        let request = try HTTPRequest(.get, "http://h\(target)")
        return Task {
            do throws(NetworkError) {
                return "\(try await engine.send(request, options: options, operation: operation).status)"
            } catch {
                return error.code.name
            }
        }
    }

    private func waiting(_ engine: AsyncRequestEngine, _ count: Int) async {
        await eventually { engine.bulkhead?.statistics.all.waitingCount == count }
    }

    // MARK: Permits

    @Test func aPermitIsHeldUntilTheBodyEnds() async throws {
        let stream = HeldStream()
        let transport = ScriptedTransport { request, _ in
            request.target == "/stream" ? .streamed(status: 200, stream.chunks()) : .status(200)
        }
        let engine = engine(transport)
        let response = try await engine.stream(try HTTPRequest(.get, "http://h/stream"))
        let next = try call(engine)
        await waiting(engine, 1)
        #expect(engine.bulkhead?.statistics.origins[origin]?.inUse == 1 && transport.requests.count == 1)
        response.body.discard()
        #expect(await next.value == "200")
        #expect(engine.bulkhead?.statistics.all.inUse == 0 && stream.holders == 0)
        // A body that breaks off, one that is read, and one that nobody looks at.
        let broken = self.engine(
            ScriptedTransport { _, _ in
                .streamed(
                    status: 200,
                    AsyncThrowingStream<HTTPBody.Chunk, any Error> {
                        $0.finish(throwing: NetworkError(.truncated, "Cut.", phase: .receive))
                    })
            })
        for _ in 0..<3 {
            let response = try await broken.stream(try HTTPRequest(.get, "http://h/x"))
            _ = await #expect(throws: NetworkError.self) { try await response.body.collect(upToBytes: 1) }
        }
        _ = try await broken.stream(try HTTPRequest(.get, "http://h/x")).status
        #expect(broken.bulkhead?.statistics.all.inUse == 0)
    }

    @Test func aPermitIsReturnedHoweverTheAttemptEnds() async throws {
        let replies: [ScriptedTransport.Reply] = [
            .status(500), .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect)),
            .failure(NetworkError(.timeout, "Late.", phase: .firstByte)), .status(200),
        ]
        for reply in replies {
            let engine = engine(ScriptedTransport(reply)) { $0.retry.policy = .never }
            for _ in 0..<3 { _ = await (try call(engine)).value }
            #expect(engine.bulkhead?.statistics.all.inUse == 0)
        }
        let engine = engine(held())
        let cancelled = try call(engine)
        await gate.waitForArrivals(1)
        cancelled.cancel()
        gate.open()
        #expect(await cancelled.value == "cancelled")
        #expect(engine.bulkhead?.statistics.all.inUse == 0)
    }

    @Test func originsHavePermitsOfTheirOwnAndShareThoseInAll() async throws {
        let engine = engine(held()) { $0.protection.bulkhead?.inAll = 2 }
        var calls = [try call(engine, "/held/0"), try call(engine, "/held/1")]
        await gate.waitForArrivals(1)
        await waiting(engine, 1)
        let other = try HTTPRequest(.get, "http://i/held")
        let second = Task { try await engine.send(other).status }
        await gate.waitForArrivals(2)
        let third = try HTTPRequest(.get, "http://j/x")
        let last = Task { try await engine.send(third).status }
        await waiting(engine, 2)
        #expect(engine.bulkhead?.statistics.all.inUse == 2)
        #expect(engine.bulkhead?.statistics.origins.count == 3)
        gate.open()
        calls.append(try call(engine))
        for call in calls { #expect(await call.value == "200") }
        #expect(try await second.value == 200)
        #expect(try await last.value == 200)
        #expect(engine.bulkhead?.statistics.all.inUse == 0)
    }

    // MARK: Rejections

    /// A rejection is no attempt: nothing is sent, nothing taken from the budget, and no breaker counts it.
    @Test func aRejectionIsLocal() async throws {
        let registry = try CircuitBreakerRegistry(hosts: .aggressive, clock: clock)
        let transport = held()
        let engine = engine(transport) {
            $0.protection.bulkhead?.waitingPerOrigin = 0
            $0.protection.circuitBreakers = registry
            $0.retry.policy = .immediate(attempts: 5)
        }
        let first = try call(engine)
        await gate.waitForArrivals(1)
        for _ in 0..<20 {
            let error = await #expect(throws: NetworkError.self) {
                try await engine.send(try HTTPRequest(.get, "http://h/y"))
            }
            #expect(error?.code == .overloaded && error?.isLocalRejection == true && error?.attempts == 0)
            #expect(error?.phase == .queue && error?.mayHaveBeenSent == false && error?.origin == origin)
        }
        #expect(transport.requests.count == 1 && registry.breaker(for: .host(origin)).state == .closed)
        gate.open()
        #expect(await first.value == "200")
        #expect(await (try call(engine, "/y")).value == "200")
    }

    @Test func theLimitOfTheWaitIsThatOfTheCall() async throws {
        let engine = engine(held())
        let first = try call(engine)
        await gate.waitForArrivals(1)
        let second = try call(engine, "/y", CallOptions(limits: AttemptLimits(queue: .seconds(1))))
        await waiting(engine, 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await second.value == "overloaded")
        let third = try call(engine, "/y", CallOptions(deadline: .seconds(2)))
        await waiting(engine, 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(await third.value == "timeout")
        gate.open()
        #expect(await first.value == "200")
    }

    // MARK: Replays

    private final class Order: Sendable {
        private let recorded = Locked<[AttemptInfo.Reason]>([])
        var reasons: [AttemptInfo.Reason] { recorded.withLock { $0 } }
        func append(_ reason: AttemptInfo.Reason) { recorded.withLock { $0.append(reason) } }
    }

    /// A call that is sent again because of its credential had a permit before: it is not turned away, takes no place
    /// of another call, and goes before first attempts, also before those of a higher priority and overdue ones.
    @Test(arguments: [AttemptInfo.Reason.replay, .nonce, .stepUp])
    func replaysGoFirst(reason: AttemptInfo.Reason) async throws {
        let bulkhead = try Bulkhead(
            policy: BulkheadPolicy(
                perOrigin: .fixed(1), inAll: 1, waitingPerOrigin: 1, waitingInAll: 1,
                ageing: .seconds(1)), clock: clock)
        let request = try HTTPRequest(.get, "http://h/x")
        let order = Order()
        func enter(_ reason: AttemptInfo.Reason, _ options: CallOptions) -> Task<String, Never> {
            var context = RequestContext(options: options, clock: clock)
            context.attempt = AttemptInfo(number: 2, reason: reason)
            return Task { [context] in
                do throws(NetworkError) {
                    let permit = try await bulkhead.enter(request, context: context)
                    #expect(permit.hasWaited)
                    order.append(reason)
                    permit.end(.notSent)
                    return "admitted"
                } catch {
                    return error.code.name
                }
            }
        }
        let held = try #require(try bulkhead.enterNow(request, context: RequestContext(clock: clock)))
        #expect(!held.hasWaited)
        let first = enter(.first, CallOptions(priority: .critical))
        await eventually { bulkhead.statistics.all.waitingCount == 1 }
        clock.advance(by: .seconds(10))
        let replay = enter(reason, CallOptions(priority: .low))
        await eventually { bulkhead.statistics.all.waitingCount == 2 }
        #expect(await enter(.first, CallOptions(priority: .low)).value == "overloaded")
        held.end(.notSent)
        for call in [first, replay] { #expect(await call.value == "admitted") }
        #expect(order.reasons == [reason, .first])
        #expect(bulkhead.statistics.all.inUse == 0)
    }

    // MARK: Circuit breakers

    /// Those who wait for a host or an operation whose circuit opens are turned away at once, and nobody else.
    @Test func anOpeningCircuitEmptiesItsQueue() async throws {
        let registry = try CircuitBreakerRegistry(clock: clock)
        let transport = held()
        let engine = engine(transport) { $0.protection.circuitBreakers = registry }
        let first = try call(engine, "/held", CallOptions(), "a")
        await gate.waitForArrivals(1)
        func queue() async throws -> [Task<String, Never>] {
            let calls = [
                try call(engine, "/1", CallOptions(), "a"), try call(engine, "/2", CallOptions(), "b"),
                try call(engine, "/3", CallOptions(circuitBreaker: .named("mail"))),
                try call(engine, "/4", CallOptions(circuitBreaker: .off)),
            ]
            await waiting(engine, 4)
            return calls
        }
        let calls = try await queue()
        registry.breaker(for: .operation(origin, "a")).isolate()
        #expect(await calls[0].value == "circuit_open")
        await waiting(engine, 3)
        registry.breaker(for: "mail").isolate()
        #expect(await calls[2].value == "circuit_open")
        await waiting(engine, 2)
        registry.breaker(for: .host(origin)).isolate()
        #expect(await calls[1].value == "circuit_open")
        await waiting(engine, 1)
        #expect(transport.requests.count == 1)
        gate.open()
        #expect(await calls[3].value == "200")
        #expect(await first.value == "200")
        #expect(engine.bulkhead?.statistics.all.inUse == 0)
    }

    /// Failures open the circuit of a host while calls wait: they are not sent.
    @Test func failuresTurnAwayThoseWhoWait() async throws {
        let registry = try CircuitBreakerRegistry(hosts: .aggressive, operations: nil, clock: clock)
        let transport = ScriptedTransport { [gate] _, _ in
            await gate.pass()
            return .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect))
        }
        let engine = engine(transport) {
            $0.protection.circuitBreakers = registry
            $0.retry.policy = .never
        }
        let first = try call(engine, "/0")
        await gate.waitForArrivals(1)
        var calls: [Task<String, Never>] = []
        for number in 1..<50 { calls.append(try call(engine, "/\(number)")) }
        await waiting(engine, 49)
        gate.open()
        var results = [await first.value]
        for call in calls { results.append(await call.value) }
        #expect(results.count { $0 == "connection_refused" } == 3 && transport.requests.count == 3)
        #expect(results.count { $0 == "circuit_open" } == 47)
        #expect(engine.bulkhead?.statistics.all.inUse == 0)
    }

    /// They do not wait for the call that has the permit: failures of other calls open the circuit.
    @Test func thoseWhoWaitDoNotWaitForAPermitWhenTheCircuitOpens() async throws {
        let registry = try CircuitBreakerRegistry(hosts: .aggressive, operations: nil, clock: clock)
        let transport = ScriptedTransport { [gate] request, _ in
            guard request.target == "/held" else {
                return .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect))
            }
            await gate.pass()
            return .status(200)
        }
        let engine = engine(transport) {
            $0.protection.circuitBreakers = registry
            $0.retry.policy = .never
        }
        let holder = try call(engine, "/held")
        await gate.waitForArrivals(1)
        let waiter = try call(engine, "/x")
        await waiting(engine, 1)
        for _ in 0..<3 {
            _ = await (try call(engine, "/y", CallOptions(isLimitedByBulkhead: false))).value
        }
        #expect(await waiter.value == "circuit_open")
        #expect(engine.bulkhead?.statistics.all.inUse == 1)
        gate.open()
        #expect(await holder.value == "200")
    }

    /// A circuit that opens between the check and the wait is noticed: nobody would turn the call away later.
    @Test func aCircuitThatIsOpenWhenTheWaitBeginsEndsIt() async throws {
        let bulkhead = try Bulkhead(policy: BulkheadPolicy(perOrigin: .fixed(1), inAll: 1), clock: clock)
        let registry = try CircuitBreakerRegistry(clock: clock)
        let breaker = registry.breaker(for: .host(origin))
        breaker.isolate()
        let request = try HTTPRequest(.get, "http://h/x")
        let permit = try #require(try bulkhead.enterNow(request, context: RequestContext()))
        let error = await #expect(throws: NetworkError.self) {
            try await bulkhead.enter(request, context: RequestContext(), guardedBy: breaker)
        }
        #expect(error?.code == .circuitOpen && bulkhead.statistics.all.waitingCount == 0)
        permit.end(.notSent)
        #expect(bulkhead.statistics.all.inUse == 0)
    }

    /// With a circuit breaker, its ticket is taken after the wait, and the permit comes back if there is none.
    @Test func aPermitComesBackIfTheCircuitRejects() async throws {
        let registry = try CircuitBreakerRegistry(clock: clock)
        let engine = engine(ScriptedTransport(.status(200))) { $0.protection.circuitBreakers = registry }
        #expect(await (try call(engine)).value == "200")
        registry.breaker(for: .host(origin)).isolate()
        for _ in 0..<3 { #expect(await (try call(engine)).value == "circuit_open") }
        #expect(engine.bulkhead?.statistics.all.inUse == 0)
        registry.resetAll()
        #expect(await (try call(engine)).value == "200")
    }

    // MARK: Priorities and options

    /// A call that joins a flight which waits in the bulkhead moves it up.
    @Test func aFlightMovesUpWithItsFollowers() async throws {
        let transport = held()
        let engine = engine(transport)
        let first = try call(engine, "/first")
        await gate.waitForArrivals(1)
        let prefetch = try call(engine, "/prefetched", CallOptions(priority: .low))
        await waiting(engine, 1)
        let other = try call(engine, "/other")
        await waiting(engine, 2)
        let urgent = try call(engine, "/prefetched", CallOptions(priority: .high))
        await eventually { engine.bulkhead?.statistics.all.waiting == [.high: 1, .normal: 1] }
        // A lower one changes nothing.
        let late = try call(engine, "/other", CallOptions(priority: .low))
        gate.open()
        for call in [first, prefetch, other, urgent, late] { #expect(await call.value == "200") }
        #expect(transport.requests.map(\.target).prefix(3) == ["/first", "/prefetched", "/other"])
    }

    /// The same above a circuit breaker and below a control of the program.
    @Test func aFlightMovesUpThroughOtherControls() async throws {
        struct Open: AdmissionControl {
            let entered: Gate
            let returned: Gate
            struct Permit: AdmissionPermit {
                let returned: Gate
                func end(_ outcome: AdmissionOutcome) { Task { [returned] in await returned.pass() } }
            }
            func enter(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> any AdmissionPermit {
                await entered.pass()
                return Permit(returned: returned)
            }
        }
        let (transport, entered, returned) = (held(), Gate(), Gate())
        entered.open()
        returned.open()
        let engine = engine(transport) {
            $0.protection.circuitBreakers = try? CircuitBreakerRegistry(clock: clock)
            $0.protection.admission = Open(entered: entered, returned: returned)
            $0.protection.bulkhead?.waitingPerOrigin = 2
        }
        let first = try call(engine, "/first")
        await gate.waitForArrivals(1)
        let prefetch = try call(engine, "/prefetched", CallOptions(priority: .low))
        await waiting(engine, 1)
        let other = try call(engine, "/other")
        await waiting(engine, 2)
        let urgent = try call(engine, "/prefetched", CallOptions(priority: .critical))
        await eventually { engine.bulkhead?.statistics.all.waiting == [.critical: 1, .normal: 1] }
        // A call that the bulkhead turns away returns the permit of the other control.
        #expect(await (try call(engine, "/full", CallOptions(priority: .low))).value == "overloaded")
        await returned.waitForArrivals(1)
        gate.open()
        for call in [first, prefetch, other, urgent] { #expect(await call.value == "200") }
        #expect(transport.requests.map(\.target) == ["/first", "/prefetched", "/other"])
        #expect(entered.arrivals == 4 && engine.bulkhead?.statistics.all.inUse == 0)
        await returned.waitForArrivals(4)
    }

    @Test func aCallMayBypassIt() async throws {
        let transport = held()
        let engine = engine(transport) {
            $0.operations = ["health": CallOptions(isLimitedByBulkhead: false)]
        }
        let first = try call(engine, "/held")
        await gate.waitForArrivals(1)
        #expect(await (try call(engine, "/x", CallOptions(isLimitedByBulkhead: false))).value == "200")
        #expect(await (try call(engine, "/x", CallOptions(), "health")).value == "200")
        #expect(engine.bulkhead?.statistics.all.inUse == 1)
        gate.open()
        #expect(await first.value == "200")
        func identity(_ isLimited: Bool?) throws -> RequestIdentity? {
            RequestIdentity(
                try HTTPRequest(.get, "http://h/x"),
                context: RequestContext(options: CallOptions(isLimitedByBulkhead: isLimited)))
        }
        #expect(try identity(nil) == identity(true) && identity(nil) != identity(false))
    }

    // MARK: Events

    @Test func episodesAndWaitsAreEvents() async throws {
        let events = EventRecorder()
        let engine = engine(held()) {
            $0.protection.bulkhead?.waitingPerOrigin = 1
            $0.events = events
        }
        let first = try call(engine, "/held")
        await gate.waitForArrivals(1)
        let second = try call(engine, "/y")
        await waiting(engine, 1)
        for number in 0..<5 { #expect(await (try call(engine, "/\(number)")).value == "overloaded") }
        #expect(events.stateEvents.map(\.kind) == [.bulkheadOverloaded(limit: 1, waiting: 1)])
        clock.advance(by: .seconds(3))
        gate.open()
        #expect(await first.value == "200")
        #expect(await second.value == "200")
        await eventually { events.stateEvents.count == 2 }
        #expect(events.stateEvents.last?.kind == .bulkheadRecovered)
        #expect(events.stateEvents.allSatisfy { $0.origin == origin })
        let waits = events.events.compactMap { event -> Duration? in
            if case .admissionWaited(let time) = event.kind { time } else { nil }
        }
        #expect(waits == [.seconds(3)])
    }

    /// A wait that fails has its time; a call that is rejected immediately has not waited.
    @Test func waitsThatFailAreEvents() async throws {
        let events = EventRecorder()
        let engine = engine(held()) {
            $0.protection.bulkhead?.waitingPerOrigin = 1
            $0.events = events
        }
        let first = try call(engine, "/held")
        await gate.waitForArrivals(1)
        let second = try call(engine, "/y")
        await waiting(engine, 1)
        #expect(await (try call(engine, "/z")).value == "overloaded")
        clock.advance(by: .seconds(2))
        second.cancel()
        #expect(await second.value == "cancelled")
        gate.open()
        #expect(await first.value == "200")
        let waits = events.events.compactMap { event -> Duration? in
            if case .admissionWaited(let time) = event.kind { time } else { nil }
        }
        #expect(waits == [.seconds(2)])
    }
}
