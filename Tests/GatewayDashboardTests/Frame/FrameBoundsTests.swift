import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayDashboard

/// However much happens, an event of the stream is at most 64 KiB.
@Suite struct FrameBoundsTests {
    /// Many operations with long names that every list is full of.
    private static func filled(nameLength: Int, operations: Int) throws -> DashboardFixture {
        let fixture = try DashboardFixture()
        let long = String(repeating: "nä\u{1}\"", count: nameLength / 4)
        for index in 0..<operations {
            let operation = GatewayCore.Operation("\(index)\(long)", method: .get, template: "/\(long)/{id}")
            fixture.call(UInt64(index) + 1, operation, status: index % 2 == 0 ? 200 : 503)
            fixture.record(.rejected, generation: 1, label: "\(index)\(long)")
            fixture.record(.circuitOpened("\(index)\(long)", for: .seconds(1)))
        }
        for index in 0..<600 as Range<UInt64> {
            fixture.record(.started, index + 10_000)
            for _ in 0..<30 { fixture.record(.cacheLookedUp(.miss), index + 10_000) }
            if index < 590 {
                fixture.record(
                    .failed(FailureCause(.timeout), attempts: 1, duration: .seconds(1)), index + 10_000)
            }
        }
        return fixture
    }

    @Test(arguments: [(40, 200), (400, 260)])
    func everyEventIsAtMost64KiB(nameLength: Int, operations: Int) async throws {
        let fixture = try Self.filled(nameLength: nameLength, operations: operations)
        let shared = await fixture.frame()
        var viewer = ViewerState()
        var sizes: [Int] = []
        while viewer.frame == 0 {
            let bytes = viewer.next(shared)
            sizes.append(bytes.count)
            _ = try StreamEvents.value(bytes)
        }
        #expect(sizes.allSatisfy { $0 <= 64 << 10 })
        #expect(sizes.count >= 3)
    }

    /// No call is so large that it, and those behind it, never come.
    @Test func everyCallHasRoom() async throws {
        let fixture = try Self.filled(nameLength: 400, operations: 260)
        var viewer = ViewerState()
        var sent = 0
        // The collector stands still: one frame is as good as one for each second.
        let shared = await fixture.frame()
        for _ in 0..<300 {
            let bytes = viewer.event(of: shared, column: 0)
            #expect(bytes.count <= 64 << 10)
            let frame = try StreamEvents.value(bytes)
            sent += frame["calls"]?.array?.count ?? 0
            if frame["calls_pending"]?.int == 0 { break }
            #expect(frame["calls"]?.array?.isEmpty == false)
        }
        #expect(sent == fixture.collector.copy().calls.listed.count)
    }

    @Test func twoHundredOperationsHaveRoom() async throws {
        let fixture = try DashboardFixture()
        for index in 0..<200 {
            let operation = GatewayCore.Operation(
                "operationNumber\(index)", method: .get, template: "/resources/{id}/parts/\(index)")
            for call in 0..<3 { fixture.call(UInt64(index * 3 + call + 1), operation) }
        }
        let bytes = await fixture.frame().event(column: 290)
        let frame = try StreamEvents.value(bytes)
        #expect(frame["operations"]?.array?.count == 200 && frame["operations_omitted"]?.int == 0)
        #expect(bytes.count <= 64 << 10)
        #expect(frame["calls"]?.array?.count ?? 0 >= 20)
    }

    @Test func textIsCutBetweenScalars() {
        #expect("short".cut(to: 5) == "short")
        #expect("longer".cut(to: 5) == "lo…")
        let marks = "e" + String(repeating: "\u{301}", count: 1_000)
        #expect(marks.cut(to: 120).utf8.count <= 120)
        #expect("ääää".cut(to: 7) == "ää…")
    }
}
