import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayNetworkMonitor

/// The quality of a link between two network namespaces, as the calls of an engine find it.
///
/// `tbf` slows the link itself down, which TCP's round trips show. `gateway-chaos` is a proxy: the round trip is the one to the
/// proxy, and its delay is that of a slow server.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: NetworkNamespace.isEnabled, "This process may not make network namespaces (ip netns add)."),
    .realTime("The kernel slows links down by the machine's clock. QualityTrafficTests simulates them."))
struct SlowLinkTests {
    enum Calls { case oneAfterTheOther, tenASecond }

    /// What the queue in front of the slow link is full of.
    enum Load {
        /// Large bodies of others.
        case bulk
        /// The calls themselves, which are small.
        case callsAlone
    }

    private final class SuccessCount: Sendable {
        let value = Locked(0)
    }

    /// An engine in a namespace whose calls go on until it is stopped.
    private final class Traffic: Sendable {
        let monitor: ReachabilityMonitor
        let events: EventRecorder
        private let engine: GatewayEngine
        private let task: Task<Void, Never>
        private let count: SuccessCount

        init(_ calls: Calls, in namespace: NetworkNamespace) async throws {
            let events = EventRecorder()
            let made = await namespace.run { () -> (ReachabilityMonitor, GatewayEngine)? in
                guard let monitor = try? ReachabilityMonitor() else { return nil }
                var configuration = GatewayConfiguration()
                configuration.network = monitor
                configuration.retry.policy = .never
                // Each call stands for one to a resource of its own.
                configuration.coalescing = nil
                configuration.events = events
                return (monitor, GatewayEngine(configuration: configuration))
            }
            let (monitor, engine) = try #require(made ?? nil)
            let request = try HTTPRequest(
                .get, "http://\(NamespacePair.serverText):\(NamespaceServer.port)/")
            let count = SuccessCount()
            (self.monitor, self.engine, self.events, self.count) = (monitor, engine, events, count)
            @Sendable func call() async {
                let response = try? await engine.send(request)
                if response?.status == 200 { count.value.withLock { $0 += 1 } }
            }
            task = Task {
                let clock = SystemClock()
                await withDiscardingTaskGroup { group in
                    var next = clock.now
                    while !Task.isCancelled {
                        switch calls {
                        case .oneAfterTheOther:
                            await call()
                            next = clock.now + .milliseconds(20)
                        case .tenASecond:
                            // However long each takes.
                            group.addTask { await call() }
                            next += .milliseconds(100)
                        }
                        try? await clock.sleep(until: next)
                    }
                }
            }
        }

        /// How many calls have succeeded.
        var successes: Int { count.value.withLock { $0 } }

        /// The changes of the quality of all ways together.
        var changes: [NetworkCondition.Quality] {
            events.stateEvents.compactMap { event in
                guard case .networkQualityChanged(_, let quality) = event.kind, event.origin == nil else {
                    return nil
                }
                return quality
            }
        }

        func stop() async {
            task.cancel()
            await task.value
            await engine.shutdown(within: .zero)
        }
    }

    /// `network.quality-of-a-link`
    @Test(arguments: [
        (Calls.oneAfterTheOther, Load.bulk), (.tenASecond, .bulk), (.oneAfterTheOther, .callsAlone),
    ])
    func aSlowLinkIsFoundInTenSecondsAndItsEndInThirty(calls: Calls, load: Load) async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let server = try await NamespaceServer(in: pair.there, address: NamespacePair.serverAddress)
        let sink = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress, port: BulkTraffic.port,
            service: NamespaceServer.discard)
        let traffic = try await Traffic(calls, in: pair.here)
        // What is known of the fast link does not delay the verdict on the slow one.
        #expect(await isEventually(within: .seconds(60)) { traffic.successes > 60 })
        #expect(traffic.monitor.condition.quality == .excellent && traffic.changes.isEmpty)
        let conditions = traffic.monitor.conditions()

        let bulk = try await Self.slowDown(pair.here, load)
        let slow = ContinuousClock.now
        let worse = try await conditions.wait(for: "a worse quality", since: slow) { $0.quality < .excellent }
        // The link is not only found slow, it stays so.
        let before = traffic.successes
        let more = calls == .tenASecond ? 50 : 10
        #expect(await isEventually(within: .seconds(120)) { traffic.successes > before + more })
        #expect(traffic.monitor.condition.quality < .excellent)
        #expect((1...2).contains(traffic.changes.count), "\(traffic.changes)")
        let count = traffic.changes.count

        for traffic in bulk { traffic.stop() }
        try await pair.here.tc("qdisc", "del", "dev", "v0", "root")
        let fast = ContinuousClock.now
        let better = try await conditions.wait(for: "an excellent quality", since: fast) {
            $0.quality == .excellent
        }
        let back = Array(traffic.changes.dropFirst(count))
        #expect(back.count <= 2 && back.last == .excellent, "\(back)")
        print(
            "slow link, \(calls), \(load): worse after \(worse), excellent again after \(better): \(traffic.changes)"
        )
        #expect(worse <= RealTime.limit(.seconds(10)))
        #expect(better <= RealTime.limit(.seconds(30)))
        await traffic.stop()
        withExtendedLifetime((server, sink)) {}
    }

    /// Makes the link out of a namespace slow.
    private static func slowDown(
        _ namespace: NetworkNamespace, _ load: Load
    ) async throws -> [BulkTraffic] {
        guard load == .bulk else {
            // A call sends 150 to 200 bytes, its acknowledgments included: at 1,000 bytes a second it waits for the one before.
            try await namespace.tc(
                "qdisc", "add", "dev", "v0", "root", "tbf", "rate", "8kbit", "burst", "1600", "limit",
                "3000")
            return []
        }
        // Only a queue that is never empty makes this link slow: the small packets of calls alone pass at once.
        try await namespace.tc(
            "qdisc", "add", "dev", "v0", "root", "tbf", "rate", "1mbit", "burst", "3000", "limit", "100000")
        // Each of them has 14 KB in the queue at least, and all together 100 KB at most: 0.4 s to 0.8 s.
        var bulk: [BulkTraffic] = []
        for _ in 0..<4 {
            bulk.append(
                try #require(
                    await BulkTraffic(
                        from: namespace, to: NamespacePair.serverAddress, queueBytes: 65_536)))
        }
        return bulk
    }

    /// `network.quality-of-a-link`
    @Test func aSlowServerBehindAFastLinkChangesNothing() async throws {
        try #require(NetworkNamespace.isAvailable)
        let pair = try NamespacePair()
        let server = try await NamespaceServer(in: pair.there, address: [127, 0, 0, 1])
        // Its error says where the program is looked for.
        let started = await pair.there.run { Result { try ChaosProxy.start(to: NamespaceServer.port) } }
        let proxy = try #require(started).get()
        defer { proxy.shutdown() }
        let relay = try await NamespaceServer(
            in: pair.there, address: NamespacePair.serverAddress,
            service: NamespaceServer.relay(to: proxy.port))
        let traffic = try await Traffic(.tenASecond, in: pair.here)
        #expect(await isEventually(within: .seconds(60)) { traffic.successes > 20 })
        var slow = ChaosProxy.Conditions.perfect
        slow.downstream.delay = .seconds(2)
        try proxy.apply(slow)
        let before = traffic.successes
        // More than the samples that count, of which there are at most four a second, and the time that a change must last.
        #expect(await isEventually(within: .seconds(120)) { traffic.successes > before + 120 })
        let slowest = traffic.events.slowestFirstByte
        #expect(slowest >= .seconds(2))
        #expect(traffic.monitor.condition.quality == .excellent && traffic.changes.isEmpty)
        await traffic.stop()
        withExtendedLifetime((server, relay)) {}
    }
}

extension EventRecorder {
    /// The longest time from a request to the first byte of its response.
    fileprivate var slowestFirstByte: Duration {
        events.compactMap { event -> Duration? in
            guard case .exchanged(let timings) = event.kind else { return nil }
            return timings.firstByte
        }.max() ?? .zero
    }
}
