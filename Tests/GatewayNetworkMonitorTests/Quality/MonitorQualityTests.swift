import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct MonitorQualityTests {
    private let clock = ManualClock()

    private func exchange(of origin: Origin, roundTrip: Duration) -> RequestEvent {
        var timings = ExchangeTimings()
        timings.tcp = TCPSample(
            roundTripTime: roundTrip, roundTripTimeVariation: .zero, retransmitCount: 0,
            congestionWindowSegments: 10)
        return RequestEvent(
            instant: clock.now, callID: 1, operation: nil, origin: origin, method: .get,
            kind: .exchanged(timings))
    }

    @Test func theQualityOfExchangesIsThatOfTheNetworkUntilItIsAnother() async throws {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.clock = clock
        let source = ScriptedTableSource(.online())
        let monitor = try ReachabilityMonitor(configuration: configuration, source: source)
        let recorder = EventRecorder()
        let outlet = EventOutlet(recorder)
        monitor.report(to: outlet)
        var conditions = monitor.conditions().makeAsyncIterator()
        #expect(await conditions.next()?.quality == .excellent)
        let observer = try #require(monitor.observer)
        #expect(observer.interests == .exchanges)
        let origin = try Origin("https://api.example.com")
        for _ in 0..<30 {
            observer.record(exchange(of: origin, roundTrip: .seconds(2)))
            clock.advance(by: .milliseconds(100))
        }
        #expect(await conditions.next()?.quality == .poor)
        #expect(monitor.condition.quality == .poor && monitor.condition(for: origin).quality == .poor)
        #expect(try monitor.condition(for: Origin("http://localhost")).quality == .excellent)
        let change = StateEvent.Kind.networkQualityChanged(from: .excellent, to: .poor)
        #expect(recorder.stateEvents.map(\.kind) == [change, change])
        #expect(recorder.stateEvents.map(\.origin) == [nil, origin])

        // Without a network it is offline; the next network is not known yet.
        source.report(.offline)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(await conditions.next()?.quality == .offline)
        source.report(.online(2))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await conditions.next()?.quality == .excellent)
    }

    @Test func thresholdsOfTheMonitorAreChecked() {
        var configuration = ReachabilityMonitor.Configuration()
        configuration.quality.goodBelow = .zero
        #expect {
            _ = try ReachabilityMonitor(configuration: configuration)
        } throws: {
            ($0 as? NetworkError)?.message
                == "Invalid setting 'quality.goodBelow': must be more than excellentBelow."
        }
    }

    @Test func anEngineDoesNotKeepTheMonitor() throws {
        let source = ScriptedTableSource(.online())
        var monitor: ReachabilityMonitor? = try ReachabilityMonitor(configuration: .init(), source: source)
        let observer = try #require(monitor?.observer)
        monitor = nil
        #expect(source.isStopped)
        observer.record(exchange(of: try Origin("https://api.example.com"), roundTrip: .seconds(2)))
    }
}
