import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// An engine whose link goes away for a time, in a network namespace.
@Suite(
    .serialized, .timeLimit(.minutes(15)), .tags(.concurrent),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."))
struct OfflineTests {
    private final class TallyBox: Sendable {
        private let state = Locked(Tally())

        var now: Tally { state.withLock { $0 } }

        func succeed(at instant: ContinuousClock.Instant) {
            state.withLock { tally in
                tally.successes += 1
                if tally.isUpSince != nil, tally.firstSuccess == nil { tally.firstSuccess = instant }
            }
        }

        func fail(_ code: String) { state.withLock { $0.failures[code, default: 0] += 1 } }

        func comeUp(at instant: ContinuousClock.Instant) { state.withLock { $0.isUpSince = instant } }
    }

    private struct Tally: Sendable {
        var successes = 0
        var failures: [String: Int] = [:]
        var isUpSince: ContinuousClock.Instant?
        var firstSuccess: ContinuousClock.Instant?
    }

    /// Makes 500 calls a second until the task is cancelled.
    private static func call(
        _ engine: GatewayEngine, _ request: HTTPRequest, _ tally: TallyBox
    ) async {
        let clock = SystemClock()
        await withDiscardingTaskGroup { group in
            var next = clock.now
            while !Task.isCancelled {
                next += .milliseconds(2)
                try? await clock.sleep(until: next)
                group.addTask {
                    do throws(NetworkError) {
                        _ = try await engine.send(request)
                        tally.succeed(at: .now)
                    } catch {
                        tally.fail(error.code.name)
                    }
                }
            }
        }
    }

    /// Answers one request on each connection, so that each call makes one of its own.
    private static let answerOnce: NamespaceServer.Service = { connection in
        guard NamespaceServer.receive(connection) != nil else { return }
        let response = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        _ = NamespaceServer.deliver(Array(response.utf8), to: connection)
    }

    /// `network.offline-opens-nothing`: neither the interruption nor the outage, and the first call after it succeeds.
    @Test func callsWithoutALinkOpenNoCircuit() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let server = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, service: Self.answerOnce)
        let (clock, events) = (ManualClock(), EventRecorder())
        let (monitor, engine) = try await pair.makeEngine(
            clock: clock,
            changing: { configuration, monitor in
                configuration.protection.circuitBreakers = try CircuitBreakerRegistry(
                    hosts: .aggressive, network: monitor)
                configuration.events = events
            })
        let latest = LatestReachability(of: monitor)
        let request = try HTTPRequest(.get, "http://\(NamespacePair.serverText):\(NamespaceServer.port)/")
        #expect(try await engine.send(request).status == 200)
        func failures() async -> Set<String> {
            var codes: Set<String> = []
            for _ in 0..<30 {
                do throws(NetworkError) { _ = try await engine.send(request) } catch {
                    codes.insert(error.code.name)
                }
            }
            return codes
        }

        try await pair.here.ip(["link", "set", "v0", "down"])
        try #require(await latest.becomes("no link") { !$0.isOnline })
        #expect(monitor.isConnected && monitor.condition.isInterrupted)
        #expect(await failures() == ["no_connection"])
        try await clock.pass(.milliseconds(1_500))
        #expect(await isEventually { !monitor.isConnected })
        #expect(await failures() == ["no_connection"])

        try await pair.here.ip(["link", "set", "v0", "up"])
        try #require(await latest.becomes("a link") { $0.isOnline })
        #expect(try await engine.send(request).status == 200)
        let opened = events.stateEvents.filter { if case .circuitOpened = $0.kind { true } else { false } }
        #expect(opened.isEmpty)
        await engine.shutdown(within: .zero)
        withExtendedLifetime(server) {}
    }

    /// `network.offline-opens-nothing`: 500 calls a second, as long as the soak says.
    @Test(.realTime("How soon the first call succeeds depends on the machine."))
    func anOutageOpensNoCircuitAndEndsAtOnce() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let here = pair.here
        let server = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress)
        let events = EventRecorder()
        let made = await here.run { () -> (ReachabilityMonitor, CircuitBreakerRegistry, GatewayEngine)? in
            guard let monitor = try? ReachabilityMonitor(),
                let breakers = try? CircuitBreakerRegistry(hosts: .aggressive, network: monitor)
            else { return nil }
            var configuration = GatewayConfiguration()
            configuration.network = monitor
            configuration.protection.circuitBreakers = breakers
            configuration.retry.policy = .never
            configuration.deadline = .seconds(2)
            configuration.events = events
            return (monitor, breakers, GatewayEngine(configuration: configuration))
        }
        let (monitor, breakers, engine) = try #require(made ?? nil)
        #expect(monitor.reachability.interfaces.map(\.name) == ["v0"])
        let request = try HTTPRequest(.get, "http://\(NamespacePair.serverText):\(NamespaceServer.port)/")
        #expect(try await engine.send(request).status == 200)

        let tally = TallyBox()
        let clock = SystemClock()
        let caller = Task { await Self.call(engine, request, tally) }
        defer { caller.cancel() }
        #expect(await isEventually(within: .seconds(60)) { tally.now.successes > 200 })
        let transitions = monitor.transitions()
        try await here.ip(["link", "set", "v0", "down"])
        try await transitions.wait(for: "offline") { $0.kind == .offline }
        // What is offline for this long, in the soak for a minute, has failed many calls.
        let end = clock.now + .seconds(SoakScale.rounds(6))
        try await clock.sleep(until: end)
        let failed = tally.now.failures
        #expect(!failed.isEmpty && failed["circuit_open"] == nil)
        try await here.ip(["link", "set", "v0", "up"])
        let up = ContinuousClock.now
        tally.comeUp(at: up)
        #expect(await isEventually(within: .seconds(60)) { tally.now.firstSuccess != nil })
        let first = try #require(tally.now.firstSuccess)
        try await transitions.wait(for: "online") { $0.kind == .online }
        caller.cancel()
        await caller.value
        print(
            "outage: \(failed), first success after \(first - up), \(tally.now.successes) successes"
        )
        #expect(first - up < RealTime.limit(.seconds(1)))
        let opened = events.stateEvents.filter { if case .circuitOpened = $0.kind { true } else { false } }
        #expect(opened.isEmpty)
        #expect(breakers.states.values.allSatisfy { $0 == .closed })
        await engine.shutdown(within: .zero)
        withExtendedLifetime(server) {}
    }
}
