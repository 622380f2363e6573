import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayDashboard

@Suite struct TokenLanesTests {
    @Test func aLaneTellsWhyATokenWasRenewed() throws {
        let fixture = try DashboardFixture()
        fixture.record(.refreshStarted(.demand), generation: 0, waiting: 12)
        fixture.clock.advance(by: .milliseconds(120))
        fixture.record(
            .refreshed(lifetime: .seconds(600), renewal: .seconds(500)), generation: 1, waiting: 14)
        fixture.clock.advance(by: .seconds(9))
        fixture.record(.rejected, generation: 1)
        fixture.record(.refreshStarted(.rejected), generation: 1, waiting: 3)
        fixture.clock.advance(by: .milliseconds(80))
        fixture.record(
            .refreshed(lifetime: .seconds(600), renewal: .seconds(500)), generation: 2, waiting: 34)
        let shared = fixture.collector.copy()
        let lane = try #require(shared.tokens.lanes.values.first)
        #expect(lane.generation == 2 && lane.reason == .rejected && lane.lifetime == .seconds(600))
        #expect(lane.refreshes == [.demand: 1, .rejected: 1])
        #expect(
            lane.events.map(\.name) == [
                "refresh_started", "refreshed", "rejected", "refresh_started", "refreshed",
            ])
        #expect(lane.events.map(\.took) == [nil, 120_000_000, nil, nil, 80_000_000])
        #expect(lane.events.map(\.waiting) == [12, 14, 0, 3, 34])
        #expect(shared.log.lines.map(\.severity) == [.warning, .info])
    }

    @Test func lanesAndEventsAreBounded() throws {
        let fixture = try DashboardFixture()
        for label in 0..<200 {
            for generation in 0..<40 as Range<UInt64> {
                fixture.record(.rejected, generation: generation, label: "label \(label)")
            }
        }
        let shared = fixture.collector.copy()
        #expect(shared.tokens.lanes.count == TokenLanes.laneLimit)
        #expect(shared.tokens.lanes.values.allSatisfy { $0.events.count == TokenLanes.eventLimit })
        #expect(shared.log.lines.count == EventLog.limit)
    }
}
