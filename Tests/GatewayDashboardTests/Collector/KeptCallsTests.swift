import GatewayCore
import Testing

@testable import GatewayDashboard

@Suite struct KeptCallsTests {
    private static func record(_ id: UInt64) throws -> CallRecord {
        let origin = try Origin("https://api.example.com")
        return CallRecord(
            RequestEvent(callID: id, operation: nil, origin: origin, method: .get, kind: .started), begin: 0)
    }

    private static func add(
        _ id: UInt64, to calls: inout KeptCalls, status: Int = 200, nanoseconds: UInt64 = 1, end: UInt64 = 0
    ) throws {
        let call = try record(id)
        call.close(
            CallRecord.End(outcome: .status(status), attempts: 1, time: end, nanoseconds: nanoseconds))
        _ = calls.add(call)
    }

    @Test func theLatestTheFailedAndTheSlowestAreKept() throws {
        var calls = KeptCalls()
        for id in 1...2_000 as ClosedRange<UInt64> {
            try Self.add(
                id, to: &calls, status: id % 10 == 0 ? 503 : 200, nanoseconds: id <= 100 ? 1_000 + id : id % 7
            )
        }
        let all = calls.listed
        #expect(all.map(\.call.sequence) == all.map(\.call.sequence).sorted())
        #expect(all.filter(\.isRecent).map(\.call.sequence) == Array(1_501...2_000))
        #expect(all.filter(\.isSlow).map(\.call.sequence) == Array(51...100))
        // 50 failed ones are among the recent, and 50 are older.
        #expect(all.filter(\.call.isFailed).count == 105)
        #expect(all.count == 500 + 50 + 50)
        // The failed ones that are kept as such, then the slow ones, then the others, the latest of each first.
        let ranked = all.byRank.map(\.call.sequence)
        #expect(Array(ranked[..<100]) == (1...100).map { 2_010 - 10 * UInt64($0) })
        #expect(Array(ranked[100..<150]) == (1...50).map { 101 - UInt64($0) })
        #expect(Array(ranked[150..<154]) == [1_999, 1_998, 1_997, 1_996])
    }

    @Test func slowCallsAreForgottenAfterTenMinutes() throws {
        var calls = KeptCalls()
        for id in 1...60 as ClosedRange<UInt64> {
            try Self.add(id, to: &calls, nanoseconds: 1_000_000, end: id)
        }
        #expect(calls.slowest.count == 50)
        try Self.add(61, to: &calls, nanoseconds: 5, end: History.span + 100)
        #expect(calls.slowest.map(\.end.nanoseconds) == [5])
    }

    /// A record is used for another call only when nobody has it.
    @Test func whatSomebodyReadsIsNotUsedAgain() throws {
        var calls = KeptCalls()
        var read = KeptCalls()
        var spare: CallRecord?
        var reused = 0
        for id in 1...1_600 as ClosedRange<UInt64> {
            if id == 501 { read = calls }
            let event = RequestEvent(
                callID: id, operation: nil, origin: .unknown, method: .get, kind: .started)
            let call = spare ?? CallRecord(event, begin: 0)
            if spare != nil {
                call.restart(event, begin: 0)
                reused += 1
            }
            spare = nil
            #expect(call.id == id && call.sequence == 0 && call.steps.isEmpty && call.joined.isEmpty)
            call.add(CallStep(.hedged, begin: 0))
            call.addFollower(7)
            // Each is slower than those before, and one in ten has failed.
            call.close(CallRecord.End(outcome: .status(id % 10 == 0 ? 503 : 200), nanoseconds: id))
            spare = calls.add(call)
        }
        // The last 500, and of those before, the failed ones among the last 1,000 that are kept, and those that are read.
        #expect(reused > 400)
        #expect(read.listed.map(\.call.id) == Array(1...500))
        let kept = calls.listed.map(\.call.id)
        #expect(kept == (601...1_600).filter { $0 > 1_100 || $0 % 10 == 0 })
        #expect(calls.slowest.map(\.id) == Array(1_551...1_600))
    }

    /// A step that follows the end belongs to the call that failed, also if another one with its ID has ended since.
    @Test func aStepCanFollowTheEnd() throws {
        var calls = KeptCalls()
        try Self.add(7, to: &calls, status: 503, nanoseconds: 9)
        try Self.add(7, to: &calls)
        let read = calls
        calls.add(CallStep(.fallback(step: "replica"), begin: 0), to: 7, where: \.isFailed)
        calls.add(CallStep(.fallback(step: "unknown"), begin: 0), to: 8, where: \.isFailed)
        let all = calls.listed
        #expect(all.map(\.call.steps.count) == [1, 0] && all.map(\.isSlow) == [true, true])
        #expect(calls.slowest.last?.steps.count == 1)
        #expect(read.listed.map(\.call.steps.count) == [0, 0])
    }
}
