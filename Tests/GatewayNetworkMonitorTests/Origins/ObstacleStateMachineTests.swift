import GatewayCore
import Testing

@testable import GatewayNetworkMonitor

@Suite struct ObstacleStateMachineTests {
    /// `network.captive-portal`, `network.intercepted-tls`
    @Test func whatWasFoundInAnotherNetworkDoesNotCount() throws {
        let origin = try Origin("https://api.example")
        var machine = ObstacleStateMachine()
        machine.observe(.portal, from: origin)
        #expect(machine.obstacle == .captivePortal)
        machine.forgetNetwork()
        #expect(machine.obstacle == nil)
        machine.observe(isAnyReachable: false)
        #expect(machine.obstacle == .originsUnreachable)
        machine.forgetNetwork()
        #expect(machine.obstacle == nil)
        // Failures of both networks are not added up; that its certificate was accepted once is not forgotten.
        machine.observe(.origin, from: origin)
        machine.observe(.tlsFailure, from: origin)
        machine.forgetNetwork()
        machine.observe(.tlsFailure, from: origin)
        #expect(machine.obstacle == nil)
        machine.observe(.tlsFailure, from: origin)
        #expect(machine.obstacle == .interceptedTLS)
    }
}
