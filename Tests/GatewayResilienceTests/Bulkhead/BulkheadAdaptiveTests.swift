import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// An adaptive limit in an engine.
@Suite(.timeLimit(.minutes(1))) struct BulkheadAdaptiveTests {
    private let clock = ManualClock()
    private let origin: Origin

    init() throws { origin = try Origin("http://h") }

    private func engine(
        _ transport: some Transport, _ change: (inout AsyncRequestEngine.Configuration) -> Void
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        change(&configuration)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    /// Timeouts cut the limit; answers without the work of the operation say nothing; both bounds are events.
    @Test func timeoutsCutTheLimitAndFastAnswersDoNotRaiseIt() async throws {
        let reply = Locked<ScriptedTransport.Reply>(.status(200))
        let transport = ScriptedTransport { _, _ in
            clock.advance(by: .milliseconds(10))
            return reply.withLock { $0 }
        }
        let events = EventRecorder()
        let engine = engine(transport) {
            $0.protection.bulkhead = BulkheadPolicy(perOrigin: .adaptive(4...64), inAll: 64)
            $0.retry.policy = .never
            $0.coalescing = nil
            $0.events = events
        }
        func limit() -> Int { engine.bulkhead?.statistics.origins[origin]?.limit ?? 0 }
        /// Calls that are in progress at the same time, as many as the limit.
        func load(_ rounds: Int) async throws {
            let context = RequestContext()
            let bulkhead = try #require(engine.bulkhead)
            let request = try HTTPRequest(.get, "http://h/x")
            for _ in 0..<rounds {
                var permits: [any AdmissionPermit] = []
                while let permit = try bulkhead.enterNow(request, context: context) { permits.append(permit) }
                clock.advance(by: .milliseconds(10))
                for permit in permits {
                    switch reply.withLock({ $0 }) {
                    case .failure(let error): permit.end(.failed(error))
                    case .response(let status, _, _), .streamed(let status, _, _):
                        permit.end(.response(status: status))
                    }
                }
            }
        }
        _ = try await engine.send(try HTTPRequest(.get, "http://h/x"))
        #expect(limit() == 4)
        for status in [304, 401, 403, 429] {
            reply.withLock { $0 = .status(status) }
            try await load(500)
            #expect(limit() == 4, "\(status)")
        }
        reply.withLock { $0 = .status(200) }
        try await load(500)
        let grown = limit()
        #expect(grown > 16)
        reply.withLock { $0 = .failure(NetworkError(.cancelled, "Cancelled.")) }
        try await load(20)
        reply.withLock { $0 = .failure(NetworkError(.timeout, "Late.", phase: .produce)) }
        try await load(20)
        #expect(limit() == grown)
        reply.withLock { $0 = .failure(NetworkError(.timeout, "Late.", phase: .firstByte)) }
        try await load(20)
        #expect(limit() == 4)
        var changes: [(from: Int, to: Int)] = []
        for event in events.stateEvents {
            if case .concurrencyLimitChanged(let old, let new) = event.kind { changes.append((old, new)) }
        }
        #expect(changes.first?.from == 4 && changes.last?.to == 4 && changes.count < 12)
    }

    /// Without an operation, the method is the class: more writes, which take longer, do not lower the limit.
    @Test(arguments: [true, false])
    func methodsAreClassesOfTheirOwn(areApart: Bool) throws {
        let engine = engine(ScriptedTransport()) {
            $0.protection.bulkhead = BulkheadPolicy(perOrigin: .adaptive(4...64), inAll: 64)
        }
        let bulkhead = try #require(engine.bulkhead)
        let fast = try HTTPRequest(.get, "http://h/x")
        let slow = try HTTPRequest(areApart ? .post : .get, "http://h/x")
        func load(_ rounds: Int, slowShare: Int) throws {
            for _ in 0..<rounds {
                var permits: [[any AdmissionPermit]] = [[], []]
                var number = 0
                while let permit = try bulkhead.enterNow(
                    number % 10 < slowShare ? slow : fast, context: RequestContext())
                {
                    permits[number % 10 < slowShare ? 1 : 0].append(permit)
                    number += 1
                }
                clock.advance(by: .milliseconds(10))
                for permit in permits[0] { permit.end(.response(status: 200)) }
                clock.advance(by: .milliseconds(90))
                for permit in permits[1] { permit.end(.response(status: 200)) }
            }
        }
        try load(300, slowShare: 2)
        let limit = bulkhead.statistics.origins[origin]?.limit ?? 0
        #expect(limit == 64)
        try load(40, slowShare: 8)
        let changed = bulkhead.statistics.origins[origin]?.limit ?? 0
        #expect(areApart ? changed == 64 : changed < 64)
    }

    /// The latency of a stream is the time to its head.
    @Test func theReaderOfAStreamIsNoLatency() async throws {
        let engine = engine(ScriptedTransport()) {
            $0.protection.bulkhead = BulkheadPolicy(perOrigin: .adaptive(4...64), inAll: 64)
        }
        let bulkhead = try #require(engine.bulkhead)
        let request = try HTTPRequest(.get, "http://h/x")
        for round in 0..<300 {
            var bodies: [any AdmissionPermit] = []
            var permits: [any AdmissionPermit] = []
            while let permit = try bulkhead.enterNow(request, context: RequestContext()) {
                permits.append(permit)
            }
            clock.advance(by: .milliseconds(10))
            for permit in permits { bodies.append(try #require(permit.responded(status: 200))) }
            // The readers become slower and slower.
            clock.advance(by: .milliseconds(10 * round))
            for body in bodies { body.end(.response(status: 200)) }
        }
        #expect(bulkhead.statistics.origins[origin]?.limit == 64)
        #expect(bulkhead.statistics.all.inUse == 0)
    }
}
