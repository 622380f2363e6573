import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// Whether the configured origins accept connections.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct HeartbeatTests {
    private let clock = ManualClock()
    private let connector = ScriptedConnector()
    private let source = ScriptedTableSource(.online())
    private let first: Origin
    private let second: Origin

    init() throws {
        first = try Origin("https://api.example.com")
        second = try Origin("https://files.example.com:8443")
    }

    private func makeMonitor(
        _ change: (inout ReachabilityMonitor.Configuration) -> Void = { _ in }
    ) throws -> ReachabilityMonitor {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.clock = clock
        configuration.origins = [first, second, try Origin("http://localhost:8080")]
        configuration.heartbeat = .init()
        change(&configuration)
        return try ReachabilityMonitor(configuration: configuration, source: source, connector: connector)
    }

    /// Waits until a check is over, and lets the time of the next one come.
    private func nextCheck(after interval: Duration = .seconds(30)) async {
        await clock.waitForSleepers(1)
        clock.advance(by: interval)
    }

    /// `network.heartbeat`
    @Test func anOutageBehindTheLinksIsReportedAndRefusesNothing() async throws {
        connector.set(false, for: first, second)
        let monitor = try makeMonitor()
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        monitor.report(to: outlet)
        #expect(await isEventually { monitor.condition.obstacle == .originsUnreachable })
        // There is a network, of the quality that it has.
        #expect(monitor.isConnected && monitor.condition.isOnline && monitor.condition.quality == .excellent)
        #expect(monitor.condition(for: first).obstacle == .originsUnreachable)
        #expect(try monitor.condition(for: Origin("http://localhost:8080")).obstacle == nil)
        connector.set(true, for: second)
        await nextCheck()
        #expect(await isEventually { monitor.condition.obstacle == nil })
        connector.set(false, for: second)
        await nextCheck()
        #expect(await isEventually { monitor.condition.obstacle == .originsUnreachable })
        await nextCheck()
        connector.set(true, for: first)
        await nextCheck()
        #expect(await isEventually { monitor.condition.obstacle == nil })
        // Each change is one event.
        let expected: [StateEvent.Kind] = [
            .networkObstacleChanged(nil), .networkObstacleChanged(.originsUnreachable),
            .networkObstacleChanged(nil),
        ]
        #expect(await isEventually { recorder.stateEvents.map(\.kind).suffix(3) == expected })
        #expect(recorder.stateEvents.count <= 4, "\(recorder.stateEvents.map(\.kind))")
    }

    /// `network.heartbeat-own-origins`
    @Test func onlyConfiguredOriginsAreConnectedToUntilOneAccepts() async throws {
        let monitor = try makeMonitor { $0.heartbeat?.timeout = .seconds(2) }
        await nextCheck()
        await nextCheck()
        await clock.waitForSleepers(1)
        #expect(connector.attempts == [first, first, first])
        connector.set(false, for: first)
        await nextCheck()
        await clock.waitForSleepers(1)
        #expect(await isEventually { connector.attempts.suffix(2) == [first, second] })
        #expect(connector.limits == [.seconds(2)])
        #expect(monitor.condition.obstacle == nil)
    }

    /// `network.heartbeat`
    @Test func anotherNetworkIsCheckedAtOnceAndNoNetworkIsNot() async throws {
        connector.set(false, for: first, second)
        let monitor = try makeMonitor()
        #expect(await isEventually { monitor.condition.obstacle == .originsUnreachable })
        await clock.waitForSleepers(1)
        source.report(.offline)
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(1_500))
        #expect(await isEventually { !monitor.isConnected && clock.sleeperCount == 0 })
        #expect(monitor.condition == NetworkCondition(quality: .offline))
        let attempts = connector.attempts.count
        clock.advance(by: .seconds(300))
        #expect(connector.attempts.count == attempts)
        connector.set(true, for: first)
        source.report(.online(2))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        #expect(await isEventually { connector.attempts.count == attempts + 1 })
        #expect(await isEventually { monitor.condition == NetworkCondition(quality: .excellent) })
    }

    /// `network.heartbeat`
    @Test func aResponseEndsTheObstacle() async throws {
        connector.set(false, for: first, second)
        let monitor = try makeMonitor()
        #expect(await isEventually { monitor.condition.obstacle == .originsUnreachable })
        let observer = try #require(monitor.observer)
        func exchange(of origin: Origin, firstByte: Duration?) {
            var timings = ExchangeTimings()
            timings.firstByte = firstByte
            observer.record(
                RequestEvent(
                    instant: clock.now, callID: 1, operation: nil, origin: origin, method: .get,
                    kind: .exchanged(timings)))
        }
        exchange(of: first, firstByte: nil)
        exchange(of: try Origin("https://elsewhere.example.com"), firstByte: .milliseconds(1))
        #expect(monitor.condition.obstacle == .originsUnreachable)
        exchange(of: second, firstByte: .milliseconds(1))
        #expect(monitor.condition.obstacle == nil)
    }

    @Test func whatCannotBeToldChangesNothing() async throws {
        connector.set(nil, for: first)
        connector.set(false, for: second)
        let monitor = try makeMonitor()
        await nextCheck()
        await clock.waitForSleepers(1)
        #expect(connector.attempts.count >= 2)
        #expect(monitor.condition.obstacle == nil)
    }

    /// `network.heartbeat`
    @Test func itIsOffByDefaultAndBehindAProxy() async throws {
        let monitors = [
            try makeMonitor { $0.heartbeat = nil }, try makeMonitor { $0.isProxied = true },
            try makeMonitor { $0.origins = $0.origins.filter(\.isLoopback) },
        ]
        clock.advance(by: .seconds(100))
        #expect(clock.sleeperCount == 0 && connector.attempts.isEmpty)
        withExtendedLifetime(monitors) {}
    }

    @Test func aMonitorThatIsGoneChecksNothing() async throws {
        var monitor: ReachabilityMonitor? = try makeMonitor()
        await clock.waitForSleepers(1)
        #expect(monitor?.isConnected == true)
        monitor = nil
        #expect(await isEventually { clock.sleeperCount == 0 })
    }

    @Test func impossibleSettingsAreRefused() throws {
        func message(_ change: (inout ReachabilityMonitor.Configuration) -> Void) -> String? {
            do { _ = try makeMonitor(change) } catch { return (error as? NetworkError)?.message }
            return nil
        }
        for time in [Duration.zero, .seconds(-1)] {
            #expect(
                message { $0.heartbeat?.timeout = time }
                    == "Invalid setting 'heartbeat.timeout': must be more than 0.")
            #expect(
                message { $0.networkRecheckInterval = time }
                    == "Invalid setting 'networkRecheckInterval': must be more than 0.")
        }
        #expect(
            message { $0.origins = [] } == "Invalid setting 'heartbeat': needs origins to connect to.")
    }
}
