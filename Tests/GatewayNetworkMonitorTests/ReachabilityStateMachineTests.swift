import GatewayCore
import Testing

@testable import GatewayNetworkMonitor

/// `network.debounced`
@Suite struct ReachabilityStateMachineTests {
    private static let start = ContinuousClock.now
    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start.advanced(by: .milliseconds(milliseconds))
    }

    private static func online(_ hosts: UInt8...) -> Reachability {
        var table = NetworkTable(links: [2: .link(2, "eth0")])
        for host in hosts { table.addresses.insert(.ipv4(2, 10, 0, 0, host)) }
        return Reachability(table)
    }
    private static let offline = Reachability(NetworkTable())

    /// Plays statuses at milliseconds, asks each millisecond, and returns the transitions with their milliseconds.
    private func play(
        _ initial: Reachability, _ changes: [(Int, Reachability)]
    ) -> [String] {
        var machine = ReachabilityStateMachine(
            initial, onlineDelay: .milliseconds(500), offlineDelay: .milliseconds(1_500))
        var transitions: [String] = []
        for millisecond in 0...10_000 {
            for (_, status) in changes.filter({ $0.0 == millisecond }) {
                machine.observe(status, at: Self.at(millisecond))
            }
            if let due = machine.due, due <= Self.at(millisecond),
                let transition = machine.advance(to: Self.at(millisecond))
            {
                #expect(transition.instant == Self.at(millisecond))
                transitions.append("\(millisecond) \(transition.kind)")
            }
        }
        #expect(machine.due == nil)
        if let last = changes.last { #expect(machine.settled == last.1) }
        return transitions
    }

    @Test func whatLastsIsATransition() {
        #expect(play(Self.online(1), [(100, Self.offline)]) == ["1600 offline"])
        #expect(play(Self.offline, [(100, Self.online(1))]) == ["600 online"])
        #expect(play(Self.online(1), [(100, Self.online(2))]) == ["600 moved"])
    }

    @Test func whatDoesNotLastIsNone() {
        #expect(play(Self.online(1), [(100, Self.offline), (1_599, Self.online(1))]) == [])
        #expect(play(Self.offline, [(100, Self.online(1)), (599, Self.offline)]) == [])
        #expect(play(Self.online(1), [(100, Self.online(2)), (599, Self.online(1))]) == [])
        let flapping =
            stride(from: 0, to: 8_000, by: 400).map { ($0, Self.offline) }
            + stride(from: 200, to: 8_200, by: 400).map { ($0, Self.online(1)) }
        #expect(play(Self.online(1), flapping.sorted { $0.0 < $1.0 }) == [])
    }

    @Test func repeatedWordOfTheSameDoesNotDelayIt() {
        let repeated = stride(from: 100, to: 1_700, by: 100).map { ($0, Self.offline) }
        #expect(play(Self.online(1), repeated) == ["1600 offline"])
        // Addresses that come one after the other while the network returns.
        #expect(
            play(
                Self.offline, [(100, Self.online(1)), (300, Self.online(1, 2)), (550, Self.online(1, 2, 3))])
                == ["600 online"])
    }

    @Test func whatOnlyAddsIsNoTransition() {
        #expect(play(Self.online(1), [(100, Self.online(1, 2))]) == [])
        // What was added counts from then on.
        #expect(play(Self.online(1), [(100, Self.online(1, 2)), (200, Self.online(1))]) == ["700 moved"])
    }

    @Test func aShortOutageWithANewAddressIsAMove() {
        #expect(play(Self.online(1), [(100, Self.offline), (400, Self.online(2))]) == ["900 moved"])
    }

    @Test func anInterruptionIsKnownAtOnce() {
        var machine = ReachabilityStateMachine(
            Self.online(1), onlineDelay: .milliseconds(500), offlineDelay: .milliseconds(1_500))
        #expect(!machine.isInterrupted)
        machine.observe(Self.offline, at: Self.at(0))
        #expect(machine.isInterrupted && machine.settled.isOnline)
        #expect(machine.advance(to: Self.at(1_499)) == nil)
        #expect(machine.advance(to: Self.at(1_500))?.kind == .offline)
        #expect(!machine.isInterrupted && !machine.settled.isOnline)
    }
}
