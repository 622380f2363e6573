import GatewayCore
import GatewayTesting
import Testing

/// `latest.never-older`
@Suite struct LatestTests {
    @Test func aLateAnswerNeverOverwritesANewerOne() {
        let latest = Latest("none")
        let first = latest.begin()
        let second = latest.begin()
        #expect(latest.store("second", for: second))
        #expect(!latest.store("first", for: first))
        #expect(latest.value == "second")
    }

    @Test func answersInOrderAreAllStored() {
        let latest = Latest("none")
        let first = latest.begin()
        let second = latest.begin()
        #expect(latest.store("first", for: first))
        #expect(latest.value == "first")
        #expect(latest.store("second", for: second))
        #expect(latest.value == "second")
        #expect(!latest.store("again", for: second))
    }

    @Test func aQuestionThatFailsChangesNothing() async {
        struct Failure: Error {}
        let latest = Latest(1)
        await #expect(throws: Failure.self) { try await latest.update { throw Failure() } }
        #expect(latest.value == 1)
        #expect(await latest.update { 2 })
        #expect(latest.value == 2)
    }

    /// Any order of answers ends with the newest question that was answered.
    @Test(arguments: UInt64(1)...50)
    func anyOrderEndsWithTheNewest(seed: UInt64) {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        let latest = Latest(-1)
        var open = (0..<20).map { ($0, latest.begin()) }
        var newest = -1
        while !open.isEmpty {
            let (number, ticket) = open.remove(at: random.int(in: 0..<open.count))
            // Some answers never come.
            if random.int(in: 0..<4) == 0 { continue }
            #expect(latest.store(number, for: ticket) == (number > newest))
            newest = max(newest, number)
            #expect(latest.value == newest)
        }
    }
}
