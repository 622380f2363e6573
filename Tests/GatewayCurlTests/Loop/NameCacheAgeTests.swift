import Testing

@testable import GatewayCurl

@Suite struct NameCacheAgeTests {
    @Test func addressesFromBeforeAreTooOldForAMinute() {
        let second: Int64 = 1_000_000_000
        var names = NameCacheAge()
        #expect(names.seconds(at: 5 * second) == 60)
        names.forget(at: 10 * second)
        #expect(names.seconds(at: 10 * second) == 0)
        #expect(names.seconds(at: 11 * second - 1) == 0)
        #expect(names.seconds(at: 25 * second) == 15)
        names.forget(at: 30 * second)
        #expect(names.seconds(at: 31 * second) == 1)
        #expect(names.seconds(at: 90 * second) == 60)
        // A clock that seems to go back.
        #expect(names.seconds(at: 29 * second) == 60)
        names.forget(at: 100 * second)
        #expect(names.seconds(at: 99 * second) == 0)
    }
}
