import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// The monitor against the kernel, in network namespaces of its own.
@Suite(
    .serialized, .timeLimit(.minutes(30)), .tags(.concurrent),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct NamespaceTests {
    private static func monitor(
        of source: any NetworkTableSource, clock: any GatewayClock = SystemClock()
    ) throws -> ReachabilityMonitor {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.clock = clock
        return try ReachabilityMonitor(configuration: configuration, source: source)
    }

    /// How long a change must last to be a transition.
    private static func delay(of transition: String) -> Duration {
        transition == "offline" ? .milliseconds(1_500) : .milliseconds(500)
    }

    /// `network.debounced`: changes of the kernel, and delays of a clock that the test moves.
    @Test(.timeLimit(.minutes(2)), arguments: 1...3 as ClosedRange<UInt64>)
    func eachChangeThatLastsIsOneTransition(seed: UInt64) async throws {
        try #require(NetworkNamespace.isAvailable)
        let clock = ManualClock()
        let namespace = try NetworkNamespace(address: "10.99.1.1/24")
        let monitor = try Self.monitor(of: NetlinkWatcher(in: namespace), clock: clock)
        let latest = LatestReachability(of: monitor)
        try #require(await latest.becomes("the first table") { $0.isOnline && !$0.interfaces.isEmpty })
        var transitions = monitor.transitions().makeAsyncIterator()
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        var model = NamespaceModel()
        for number in 0..<SoakScale.rounds(10) {
            let (command, transition) = model.change(random)
            try await namespace.ip(command)
            let (isOnline, count) = (model.isOnline, model.lifelineCount)
            try #require(
                await latest.becomes("change \(number), ip \(command)") {
                    $0.isOnline == isOnline && $0.lifelines.count == count
                })
            guard let transition else { continue }
            // An earlier timer may be that of a state in between.
            try await clock.pass(Self.delay(of: transition) - .milliseconds(1))
            try #require(await isEventually { clock.sleeperCount == 1 }, "change \(number), ip \(command)")
            clock.advance(by: .milliseconds(1))
            let seen = try #require(await transitions.next())
            try #require("\(seen.kind)" == transition, "change \(number), ip \(command)")
        }
        // Nothing is about to follow.
        #expect(await isEventually { clock.sleeperCount == 0 })
        monitor.stop()
        #expect(await transitions.next() == nil)
    }

    private struct Report: Sendable {
        var raw: [Duration] = []
        var up: [Duration] = []
        var down: [Duration] = []
    }

    private static func play(changes: Int, seed: UInt64) async throws -> Report {
        let namespace = try NetworkNamespace(address: "10.99.1.1/24")
        let monitor = try Self.monitor(of: NetlinkWatcher(in: namespace))
        let raw = monitor.rawStreams.stream()
        let latest = LatestReachability(of: monitor)
        try #require(await latest.becomes("the first table") { $0.isOnline && !$0.interfaces.isEmpty })
        let transitions = monitor.transitions()
        let random = SeededRandomSource(seed: seed)
        var model = NamespaceModel()
        var report = Report()
        for number in 0..<changes {
            let wasOnline = model.isOnline
            let (command, transition) = model.change(random)
            let begin = ContinuousClock.now
            try await namespace.ip(command)
            guard let transition else {
                // Of two changes in one reading of the tables, as an address that comes and goes, nobody knows.
                let count = model.lifelineCount
                try #require(
                    await latest.becomes("change \(number), ip \(command)") {
                        count == 0 || $0.lifelines.count == count
                    })
                continue
            }
            if wasOnline != model.isOnline {
                let isOnline = model.isOnline
                report.raw.append(
                    try await raw.wait(
                        for: "raw \(transition) after ip \(command), change \(number)", since: begin
                    ) { $0.isOnline == isOnline })
            }
            let time = try await transitions.wait(
                for: "\(transition) after ip \(command), change \(number)", since: begin
            ) { "\($0.kind)" == transition }
            if transition == "offline" { report.down.append(time) } else { report.up.append(time) }
        }
        return report
    }

    /// `network.debounced`: the times that users see.
    @Test(.realTime("How soon changes are seen depends on the machine."))
    func eachChangeIsSeenInTime() async throws {
        try #require(NetworkNamespace.isAvailable)
        let lanes = 5
        let changes = max(2, SoakScale.rounds(50) / lanes)
        let reports = try await withThrowingTaskGroup(of: Report.self) { group in
            for lane in 0..<lanes {
                let seed = TestSeed.value(UInt64(lane) + 1)
                group.addTask { try await Self.play(changes: changes, seed: seed) }
            }
            return try await group.reduce(into: [Report]()) { $0.append($1) }
        }
        let raw = Latencies(values: reports.flatMap(\.raw))
        let up = Latencies(values: reports.flatMap(\.up))
        let down = Latencies(values: reports.flatMap(\.down))
        print("\(lanes * changes) changes: raw \(raw); up \(up); down \(down)")
        try #require(!raw.values.isEmpty && !up.values.isEmpty && !down.values.isEmpty)
        #expect(raw.usual <= RealTime.limit(.milliseconds(100)))
        #expect(up.usual <= RealTime.limit(.milliseconds(700)))
        #expect(down.usual <= RealTime.limit(.milliseconds(1_700)))
        #expect(up.values.allSatisfy { $0 >= .milliseconds(500) })
        #expect(down.values.allSatisfy { $0 >= .milliseconds(1_500) })
    }

    /// `network.dump-after-loss`
    @Test(arguments: [true, false])
    func lostMessagesEndInTheRightState(isOnline: Bool) async throws {
        try #require(NetworkNamespace.isAvailable)
        let namespace = try NetworkNamespace()
        let watcher = NetlinkWatcher(in: namespace) { settings in
            settings.bufferBytes = 1
            settings.pollInterval = .seconds(3_600)
        }
        let source = StoppableSource(watcher)
        let monitor = try Self.monitor(of: source, clock: ManualClock())
        let latest = LatestReachability(of: monitor)
        try #require(await latest.becomes("the first table") { $0.isOnline && !$0.interfaces.isEmpty })
        if isOnline {
            try await namespace.ip(["link", "set", "v0", "down"])
            try #require(await latest.becomes("offline before the flood") { !$0.isOnline })
        }
        // The change that counts is lost: the buffer is full by then, and the thread does not read.
        try await source.stopped(by: { try namespace.batch(Self.flood(99, 1)) }) {
            try namespace.batch(
                Self.flood(98, 50) + ["link set v0 \(isOnline ? "up" : "down")"] + Self.flood(97, 20))
        }
        #expect(await latest.becomes("online: \(isOnline) after the flood") { $0.isOnline == isOnline })
        #expect(watcher.lossCount > 0)
    }

    /// Addresses of another interface that come and go.
    private static func flood(_ network: Int, _ count: Int) -> [String] {
        (1...count).flatMap { number in
            ["add", "del"].map { "addr \($0) 10.\(network).\(number).1/24 dev p0" }
        }
    }

    /// A kernel that reports nothing is asked.
    @Test func withoutNotificationsTheTablesAreReadNowAndThen() async throws {
        try #require(NetworkNamespace.isAvailable)
        let namespace = try NetworkNamespace()
        let watcher = NetlinkWatcher(in: namespace) { settings in
            settings.isNotified = false
            settings.pollInterval = .milliseconds(20)
        }
        let monitor = try Self.monitor(of: watcher)
        let raw = monitor.rawStreams.stream()
        try await raw.wait(for: "online") { $0.isOnline }
        try await namespace.ip(["link", "set", "v0", "down"])
        try await raw.wait(for: "offline by reading now and then") { !$0.isOnline }
    }

    /// `network.status`: as when the cable is pulled at the other end. The interface itself stays up (LOWERLAYERDOWN).
    @Test(.timeLimit(.minutes(2))) func aLossOfCarrierAtThePeerIsNoNetwork() async throws {
        try #require(NetworkNamespace.isAvailable)
        let clock = ManualClock()
        let namespace = try NetworkNamespace()
        let monitor = try Self.monitor(of: NetlinkWatcher(in: namespace), clock: clock)
        let latest = LatestReachability(of: monitor)
        let transitions = monitor.transitions()
        try #require(await latest.becomes("the first table") { $0.isOnline && !$0.interfaces.isEmpty })
        try await namespace.ip(["link", "set", "p0", "down"])
        try #require(await latest.becomes("no carrier") { !$0.isOnline })
        try await clock.pass(Self.delay(of: "offline"))
        try await transitions.wait(for: "offline without a carrier") { $0.kind == .offline }
        let flags = await namespace.run { () -> UInt32? in
            var dump = NetlinkDump()
            return (try? dump.read())?.links.values.first { $0.name == "v0" }?.flags
        }
        let isUp = (flags ?? nil).map { $0 & 0x1 != 0 }
        #expect(isUp == true)
        try await namespace.ip(["link", "set", "p0", "up"])
        try #require(await latest.becomes("a carrier") { $0.isOnline })
        try await clock.pass(Self.delay(of: "online"))
        try await transitions.wait(for: "online with a carrier") { $0.kind == .online }
    }

    /// What the kernel says of kinds of links.
    @Test func addressesAndRoutesOfBothFamiliesAreTold() async throws {
        try #require(NetworkNamespace.isAvailable)
        let namespace = try NetworkNamespace(address: nil)
        try namespace.batch(["link set p0 up", "link set v0 up"])
        var settings = ReachabilityMonitor.Configuration()
        settings.onlineDelay = .milliseconds(1)
        let monitor = try ReachabilityMonitor(configuration: settings, source: NetlinkWatcher(in: namespace))
        let raw = monitor.rawStreams.stream()
        // A link with no more than link-local addresses is no network.
        #expect(await isEventually { !monitor.isConnected })
        try await namespace.ip(["-6", "addr", "add", "2001:db8::1/64", "dev", "v0", "nodad"])
        try await raw.wait(for: "online by an address of IPv6") { $0.isOnline }
        #expect(await isEventually { monitor.reachability.interfaces.map(\.name) == ["v0"] })
        #expect(monitor.reachability.interfaces.first?.hasDefaultRoute == false)
        // A route of any table, over several next hops.
        try await namespace.ip([
            "-6", "route", "add", "default", "table", "77", "nexthop", "via", "2001:db8::2", "dev", "v0",
            "nexthop", "via", "2001:db8::3", "dev", "v0",
        ])
        #expect(await isEventually { monitor.reachability.interfaces.first?.hasDefaultRoute == true })
        var dump = NetlinkDump()
        let thread = Locked<NetworkTable?>(nil)
        let isDone = await withCheckedContinuation { continuation in
            _ = BlockingThread.start {
                var dump = NetlinkDump()
                let table = namespace.enter() ? try? dump.read() : nil
                thread.withLock { $0 = table }
                continuation.resume(returning: true)
            }
        }
        #expect(isDone)
        let table = try #require(thread.withLock { $0 })
        #expect(table.links.values.filter { $0.driver == "veth" }.map(\.name).sorted() == ["p0", "v0"])
        #expect(try dump.read().links.values.allSatisfy { $0.name != "v0" })
    }

    /// `network.fail-open`: the sockets cannot be opened at all.
    @Test func aThreadThatCannotWatchIsOnline() async throws {
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        var settings = NetlinkWatcher.Settings()
        settings.prepareThread = { false }
        let monitor = try Self.monitor(of: NetlinkWatcher(settings))
        monitor.report(to: outlet)
        #expect(await isEventually { !recorder.stateEvents.isEmpty })
        #expect(monitor.isConnected)
    }
}
