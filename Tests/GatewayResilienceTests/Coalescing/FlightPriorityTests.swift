import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCore
@testable import GatewayResilience

/// The priority of a flight.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct FlightPriorityTests {
    /// Lets one attempt in at a time, the one with the highest priority at that moment.
    private final class OneByOne: AdmissionControl {
        private typealias Entry = (context: RequestContext, continuation: CheckedContinuation<Void, Never>)
        private struct Permit: AdmissionPermit {
            func end(_ outcome: AdmissionOutcome) {}
        }
        private let waiting = Locked<[Entry]>([])

        var priorities: [CallPriority] { waiting.withLock { $0.map(\.context.priority) } }

        func enter(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> any AdmissionPermit {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append((context, continuation)) }
            }
            return Permit()
        }

        func letInNext() {
            let next = waiting.withLock { waiting -> Entry? in
                let best = waiting.indices.max { waiting[$0].context.priority < waiting[$1].context.priority }
                return best.map { waiting.remove(at: $0) }
            }
            next?.continuation.resume()
        }
    }

    private let clock = ManualClock()
    private let admission = OneByOne()
    private let transport = ScriptedTransport { _, _ in .status(200) }

    /// With retries in between, which copy the context of a call.
    private func engine() -> CoalescingEngine<RetryEngine<AttemptEngine>> {
        CoalescingEngine(
            below: RetryEngine(
                below: AttemptEngine(transport: transport, admission: admission),
                policy: .immediate(attempts: 2), clock: clock), clock: clock)
    }

    private func call(
        _ engine: CoalescingEngine<RetryEngine<AttemptEngine>>, _ path: String, _ priority: CallPriority?,
        deadline: Duration? = nil
    ) -> Task<HTTPResponse, any Error> {
        let options = CallOptions(deadline: deadline, priority: priority)
        let context = RequestContext(options: options, clock: clock)
        return Task { try await engine.send(try HTTPRequest(.get, "http://h" + path), context: context) }
    }

    @Test func aFollowerRaisesTheLeaderThatWaits() async throws {
        let engine = engine()
        let prefetch = call(engine, "/prefetched", .low)
        await eventually { admission.priorities == [.low] }
        let other = call(engine, "/other", nil)
        await eventually { admission.priorities == [.low, .normal] }
        let urgent = call(engine, "/prefetched", .high)
        await eventually { engine.followerCount == 1 }
        #expect(admission.priorities == [.high, .normal])
        // A lower priority changes nothing.
        let another = call(engine, "/prefetched", .low)
        await eventually { engine.followerCount == 2 }
        #expect(admission.priorities == [.high, .normal])
        admission.letInNext()
        for call in [prefetch, urgent, another] { #expect(try await call.value.status == 200) }
        #expect(transport.requests.map(\.target) == ["/prefetched"])
        admission.letInNext()
        #expect(try await other.value.status == 200)
    }

    @Test func aFollowerThatTakesOverHasTheHighestPriorityOfThoseWhoAreLeft() async throws {
        let engine = engine()
        let first = call(engine, "/x", .critical, deadline: .seconds(10))
        await eventually { admission.priorities == [.critical] }
        // The one with the latest deadline takes over.
        let second = call(engine, "/x", .low, deadline: .seconds(60))
        await eventually { engine.followerCount == 1 }
        let third = call(engine, "/x", .high, deadline: .seconds(30))
        await eventually { engine.followerCount == 2 }
        first.cancel()
        admission.letInNext()
        await #expect(throws: NetworkError.self) { try await first.value }
        await eventually { admission.priorities == [.high] }
        admission.letInNext()
        #expect(try await second.value.status == 200)
        #expect(try await third.value.status == 200)
        #expect(transport.requests.count <= 2)
    }

    @Test func copiesOfAContextShareItsPriority() {
        let context = RequestContext(options: CallOptions(priority: .normal))
        var copy = context
        copy.attempt = AttemptInfo(number: 2, reason: .retry)
        var second = copy
        second.minimumGeneration = 3
        #expect([context, copy, second].allSatisfy { $0.priority == .normal })
        copy.raisePriority(to: .high)
        #expect([context, copy, second].allSatisfy { $0.priority == .high })
        context.raisePriority(to: .low)
        #expect(second.priority == .high)
        #expect(second.attempt.number == 2 && second.minimumGeneration == 3)
        #expect(context.attempt.number == 1 && copy.minimumGeneration == 0)
        #expect(RequestContext().priority == .normal)
    }
}
