import GatewayCore
import Testing

@testable import GatewayResilience

/// What a gate remembers of the quota of its server.
@Suite struct RateGateTableTests {
    /// Without the window of a quota, the window is as long as the longest time until a reset that was seen.
    @Test func theWindowIsTheLongestTimeUntilAReset() {
        let machine = RateGateStateMachine(policy: .standard, start: .now)
        var gate = RateGateEntry(serial: 1, name: .init(), machine: machine)
        #expect(gate.knownQuota == nil)
        gate.note(.init(quota: 20, reset: .seconds(10)))
        gate.note(.init(quota: 20, reset: .seconds(4)))
        #expect(gate.knownQuota == .init(perSecond: 2, isExact: false))
        // Another quota has another window.
        gate.note(.init(quota: 40, reset: .seconds(8)))
        #expect(gate.knownQuota == .init(perSecond: 5, isExact: false))
        gate.note(.init(quota: 40, window: .seconds(20), reset: .seconds(1)))
        #expect(gate.knownQuota == .init(perSecond: 2, isExact: true))
    }

    @Test func namesOfServersAreShownIfTheyAreTokens() {
        #expect(RateLimitReport.Name(policy: "throttle_web-1.5").shown == "throttle_web-1.5")
        for name in ["sk live", "a/b", "ä", "a\u{1B}[0m", "\"a\""] {
            #expect(RateLimitReport.Name(policy: name).shown == "")
        }
    }
}
