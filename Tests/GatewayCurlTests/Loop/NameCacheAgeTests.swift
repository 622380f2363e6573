import Testing

@testable import GatewayCurl

@Suite struct NameCacheAgeTests {
    @Test func addressesFromBeforeAreTooOldForAMinute() {
        let second: Int64 = 1_000_000_000
        let names = NameCacheAge(forgottenAt: 30 * second)
        #expect(names.seconds(at: 30 * second) == 0)
        #expect(names.seconds(at: 31 * second - 1) == 0)
        #expect(names.seconds(at: 45 * second) == 15)
        #expect(names.seconds(at: 90 * second) == 60)
        #expect(names.seconds(at: .max) == 60)
        // A clock that seems to go back.
        #expect(names.seconds(at: 29 * second) == 0)
    }
}
