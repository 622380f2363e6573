import GatewayCore
import Testing

@testable import GatewayTesting

@Suite struct FaultPlanTests {
    private func hits(_ decision: FaultPlan.Decision) -> Bool { decision.effect != nil }

    @Test func someAreSkippedThenSomeAreHit() {
        var plan = FaultPlan()
        let id = plan.add(.status(500), scope: .everything, skipping: 2, times: 3, probability: 1)
        let pattern = (0..<7).map { _ in hits(plan.decide(matching: [id]) { 0 }) }
        #expect(pattern == [false, false, true, true, true, false, false])
        #expect(plan.hits(id) == 3)
    }

    @Test func latenciesAddUpAndTheFirstOtherEffectCounts() {
        var plan = FaultPlan()
        let ids = [
            plan.add(.latency(.seconds(1)), scope: .everything, skipping: 0, times: nil, probability: 1),
            plan.add(
                .latency(.seconds(2) ... .seconds(4)), scope: .everything, skipping: 0, times: nil,
                probability: 1),
            plan.add(.drop, scope: .everything, skipping: 0, times: 1, probability: 1),
            plan.add(.status(500), scope: .everything, skipping: 0, times: 1, probability: 1),
        ]
        let first = plan.decide(matching: ids) { 0.5 }
        #expect(first.latency == .seconds(4))
        if case .drop(let reset)? = first.effect { #expect(!reset) } else { Issue.record("not dropped") }
        // The status was not used up.
        let second = plan.decide(matching: ids) { 0 }
        #expect(second.latency == .seconds(3))
        if case .reply(let reply)? = second.effect {
            #expect(reply.status == 500)
        } else {
            Issue.record("no status")
        }
        #expect(plan.decide(matching: ids) { 0 }.effect == nil)
    }

    @Test func probabilityIsTheShareThatIsHit() {
        var plan = FaultPlan()
        let id = plan.add(.drop, scope: .everything, skipping: 0, times: nil, probability: 0.25)
        let random = SeededRandomSource(seed: 3)
        let count = (0..<4000).filter { _ in hits(plan.decide(matching: [id]) { random.unit() }) }.count
        #expect((900...1100).contains(count))
    }

    @Test func removedFaultsHitNobodyAndKeepTheirCount() {
        var plan = FaultPlan()
        let id = plan.add(.drop, scope: .everything, skipping: 0, times: nil, probability: 1)
        _ = plan.decide(matching: [id]) { 0 }
        plan.removeAll()
        #expect(plan.isEmpty)
        #expect(!hits(plan.decide(matching: [id]) { 0 }))
        #expect(plan.hits(id) == 1)
    }
}
