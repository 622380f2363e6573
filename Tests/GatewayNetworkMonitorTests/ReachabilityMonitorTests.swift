import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ReachabilityMonitorTests {
    private let clock = ManualClock()

    private func makeMonitor(
        _ source: ScriptedTableSource, origins: [String] = [], isProxied: Bool = false
    ) throws -> ReachabilityMonitor {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.clock = clock
        configuration.isProxied = isProxied
        configuration.origins = try origins.map { try Origin($0) }
        return try ReachabilityMonitor(configuration: configuration, source: source)
    }

    /// `network.fail-open`
    @Test func withoutNetlinkTheNetworkIsThereAndOneEventSaysSo() throws {
        let source = ScriptedTableSource(.unavailable("socket: error 97"))
        let monitor = try makeMonitor(source)
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        monitor.report(to: outlet)
        #expect(monitor.isConnected)
        #expect(monitor.condition == NetworkCondition(quality: .excellent))
        source.report(.unavailable("socket: error 97"))
        source.report(.unavailable("socket: error 24"))
        #expect(recorder.stateEvents.map(\.kind) == [.networkUnobservable("socket: error 97")])
        // Once more after it could be read.
        source.report(.online())
        source.report(.unavailable("socket: error 24"))
        #expect(recorder.stateEvents.map(\.kind).last == .networkUnobservable("socket: error 24"))
        #expect(recorder.stateEvents.count == 2)
    }

    /// `network.fail-open`
    @Test func anOfflineMonitorThatFailsIsOnline() async throws {
        let source = ScriptedTableSource(.offline)
        let monitor = try makeMonitor(source)
        #expect(!monitor.isConnected)
        source.report(.unavailable("recv: error 9"))
        await clock.waitForSleepers(1)
        var transitions = monitor.transitions().makeAsyncIterator()
        clock.advance(by: .milliseconds(500))
        #expect(await transitions.next()?.kind == .online)
        #expect(monitor.isConnected)
    }

    @Test func theFirstTableIsNoTransition() throws {
        let monitor = try makeMonitor(ScriptedTableSource(.offline))
        #expect(!monitor.isConnected)
        #expect(monitor.condition == NetworkCondition(quality: .offline))
        #expect(clock.sleeperCount == 0)
    }

    /// `network.debounced`
    @Test func aChangeThatLastsIsOneTransition() async throws {
        let source = ScriptedTableSource(.online())
        let monitor = try makeMonitor(source)
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        monitor.report(to: outlet)
        var transitions = monitor.transitions().makeAsyncIterator()
        var conditions = monitor.conditions().makeAsyncIterator()
        var statuses = monitor.reachabilities().makeAsyncIterator()
        #expect(await conditions.next()?.isOnline == true)
        #expect(await statuses.next()?.interfaces.map(\.name) == ["eth0"])

        source.report(.offline)
        source.report(.offline)
        #expect(monitor.condition == NetworkCondition(quality: .excellent, isInterrupted: true))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1_499))
        #expect(monitor.isConnected)
        clock.advance(by: .milliseconds(1))
        #expect(await transitions.next() == NetworkTransition(kind: .offline, instant: clock.now))
        #expect(await conditions.next() == NetworkCondition(quality: .offline))
        #expect(await statuses.next()?.isOnline == false)
        #expect(!monitor.isConnected)

        source.report(.online(2))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        #expect(await transitions.next()?.kind == .online)
        #expect(await conditions.next()?.isOnline == true)
        #expect(recorder.stateEvents.map(\.kind) == [.networkChanged(.offline), .networkChanged(.online)])
    }

    /// `network.debounced`
    @Test func anInterruptionIsNoTransition() async throws {
        let source = ScriptedTableSource(.online())
        let monitor = try makeMonitor(source)
        var transitions = monitor.transitions().makeAsyncIterator()
        source.report(.offline)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(1_000))
        source.report(.online())
        #expect(!monitor.condition.isInterrupted)
        // The timer is gone; the next change is the first transition.
        #expect(await isEventually { clock.sleeperCount == 0 })
        clock.advance(by: .seconds(10))
        source.report(.online(2))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        #expect(await transitions.next()?.kind == .moved)
    }

    /// `network.loopback-online`
    @Test func originsOfThisMachineAreAlwaysOnline() throws {
        let source = ScriptedTableSource(.offline)
        let local = try makeMonitor(
            source, origins: ["http://127.0.0.1:8080", "http://localhost", "http://[::1]"])
        #expect(local.isConnected)
        #expect(!source.isStarted)
        // One that is elsewhere is enough for the links to count, for that one.
        let mixed = try makeMonitor(
            ScriptedTableSource(.offline), origins: ["http://localhost", "https://api.example.com"])
        #expect(!mixed.isConnected)
        #expect(try mixed.condition(for: Origin("http://localhost")).isOnline)
        #expect(try !mixed.condition(for: Origin("https://api.example.com")).isOnline)
    }

    /// `network.proxy-online`
    @Test func behindAProxyTheLinksSayNothing() throws {
        let source = ScriptedTableSource(.offline)
        let monitor = try makeMonitor(source, origins: ["https://api.example.com"], isProxied: true)
        #expect(monitor.isConnected)
        #expect(!source.isStarted)
    }

    @Test func aMonitorThatIsGoneEndsItsSequencesAndItsThread() async throws {
        let source = ScriptedTableSource(.online())
        var monitor: ReachabilityMonitor? = try makeMonitor(source)
        let transitions = try #require(monitor?.transitions())
        monitor = nil
        for await _ in transitions { Issue.record("a transition") }
        #expect(source.isStopped)
    }

    @Test(
        arguments: ["networkRecheckInterval", "onlineDelay", "offlineDelay"], [Duration.zero, .seconds(-1)])
    func timesThatAreNotPositiveAreRefused(property: String, time: Duration) throws {
        var configuration = ReachabilityMonitor.Configuration()
        switch property {
        case "networkRecheckInterval": configuration.networkRecheckInterval = time
        case "onlineDelay": configuration.onlineDelay = time
        default: configuration.offlineDelay = time
        }
        #expect {
            _ = try ReachabilityMonitor(configuration: configuration)
        } throws: {
            ($0 as? NetworkError)?.message == "Invalid setting '\(property)': must be more than 0."
        }
    }
}
