import CAllocationCounter
import GatewayCore
import GatewayTelemetry
import GatewayTesting
import Testing

@testable import GatewayDashboard

/// What a call costs while nobody watches. `gateway-bench telemetry` measures the time.
@Suite(.serialized, .enabled(if: allocation_counter_works() != 0)) struct DashboardAllocationTests {
    private func call(_ id: UInt64, _ fixture: DashboardFixture, _ connection: ConnectionInfo) {
        fixture.record(.started, id)
        fixture.record(.credentialWaited(.milliseconds(1)), id)
        fixture.record(.attemptStarted, id)
        let end = AttemptEnd(.response(status: 200), connection: connection, duration: .milliseconds(5))
        fixture.record(.attemptEnded(end), id)
        fixture.record(.succeeded(status: 200, attempts: 1, duration: .milliseconds(5)), id)
    }

    /// The metrics get their events from the program.
    @Test func aCallThatSucceedsAllocatesNothing() throws {
        let fixture = try DashboardFixture(metrics: RequestMetricsCollector())
        let connection = ConnectionInfo(version: .http2, address: "10.0.0.7", port: 443)
        var id: UInt64 = 0
        // Until the lists are full, and records are used again.
        while id < 700 {
            id += 1
            call(id, fixture, connection)
        }
        var least = Int.max
        while id < 2_700 {
            allocation_counter_start()
            for _ in 0..<100 {
                id += 1
                call(id, fixture, connection)
            }
            least = min(least, allocation_counter_stop())
        }
        #expect(least == 0)
        #expect(fixture.collector.copy().calls.lastSequence == 2_700)
    }
}
