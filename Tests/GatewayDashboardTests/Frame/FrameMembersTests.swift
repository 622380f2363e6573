import GatewayCore
import GatewayJSON
import GatewayTelemetry
import GatewayTesting
import Testing

@testable import GatewayDashboard
@testable import GatewayResilience

/// A stream of a client of which everything is known has every member that the page reads.
@Suite struct FrameMembersTests {
    private let fixture: DashboardFixture

    init() throws { fixture = try DashboardFixture() }

    /// The names of the members of an object; those of all objects in an array.
    private static func names(_ value: JSONValue?) -> Set<String> {
        var names: Set<String> = []
        for object in value?.array ?? value.map({ [$0] }) ?? [] {
            if let members = object.object { names.formUnion(members.keys) }
        }
        return names
    }

    private func health() -> EngineHealth {
        var health = EngineHealth()
        (health.calls, health.coalesced) = (20, 5)
        var token = TokenHealth(label: "login client")
        (token.credentials, token.usable, token.validFor) = (1, 1, .seconds(20))
        token.failure = .init(code: .tokenUnavailable, isPermanent: false, retryAfter: .seconds(2))
        health.tokens = [token]
        health.connections.origins[fixture.origin] = .init()
        health.circuitBreakers = [.host(fixture.origin): .open]
        health.rateLimits = [
            RateGate.Limit(
                origin: fixture.origin, name: "", closedFor: .seconds(1), waiting: 4, callsPerSecond: 10)
        ]
        var bulkhead = BulkheadStatistics(limit: 64)
        var counts = BulkheadStatistics.Counts(limit: 64)
        counts.holdTime = .milliseconds(21)
        bulkhead.add(counts, of: fixture.origin)
        health.bulkhead = bulkhead
        health.retryBudgets = [fixture.origin: .init(retries: 3, isExhausted: true)]
        health.hedging = HedgingStatistics()
        health.network = NetworkCondition(quality: .good, obstacle: .captivePortal)
        health.parts = [PartHealth(name: "queue", state: "sending", counts: ["queued": 3])]
        return health
    }

    private func frame(_ change: (inout EngineHealth) -> Void = { _ in }) async throws -> JSONValue {
        let read = await fixture.collector.snapshot(1)
        var health = health()
        change(&health)
        let snapshot = Snapshot(
            number: 1, now: read.now, shared: read.shared, metrics: read.metrics, healths: [health],
            open: read.open, untracked: 0)
        return try StreamEvents.value(SharedFrame(snapshot).event(column: 0))
    }

    @Test func aFrameHasEveryMember() async throws {
        fixture.record(.circuitOpened("https://api.example.com", for: .seconds(12)))
        fixture.record(.refreshStarted(.rejected), generation: 1)
        fixture.record(.refreshed(lifetime: .seconds(60), renewal: .seconds(50)), generation: 2)
        fixture.call(1, DashboardFixture.get)
        fixture.record(.started, 2)
        fixture.record(.cacheLookedUp(.hit), 2)
        let frame = try await frame()
        let expected: [(JSONValue?, String)] = [
            (
                frame,
                "frame start_unix_ms now_ms dropped sentence problems totals operations operations_omitted columns calls"
                    + " calls_pending calls_omitted open tokens breakers bulkheads budgets hedging rate_gates cache parts network origins health log"
            ),
            (frame["sentence"], "severity text side about"), (frame["sentence"]?["about"], "kind name"),
            (frame["totals"], "10s 1m 5m all"),
            (
                frame["totals"]?["10s"],
                "seconds started succeeded failed error_responses cancelled retries replays joined in_progress mean_ms"
                    + " p50_ms p95_ms p99_ms max_ms"
            ),
            (frame["operations"], "id method template w in_progress max spark"),
            (
                frame["tokens"],
                "label subjects credentials usable refreshing failed waiting valid_ms lifetime_ms generation reason"
                    + " refreshes failure events"
            ),
            (frame["tokens"]?[0]?["failure"], "error permanent retry_ms"),
            (frame["tokens"]?[0]?["events"], "t kind generation waiting reason lifetime_ms took_ms"),
            (frame["breakers"], "name state since_t open_ms opened"),
            (frame["bulkheads"], "origin limit in_use waiting hold_ms"),
            (frame["budgets"], "origin retries exhausted"),
            (frame["hedging"], "requests hedges wins refused drops"),
            (frame["rate_gates"], "origin name closed_ms waiting per_second"),
            (frame["cache"], "1m all stored evicted store_failures"),
            (frame["cache"]?["all"], "hit stale miss revalidated"),
            (frame["parts"], "name state ready counts"), (frame["network"], "quality interrupted obstacle"),
            (frame["origins"], "origin open active waiting"),
            (frame["health"], "ready obstacles ending calls coalesced"),
            (frame["log"], "t severity text about"),
            (frame["open"], "id t ms op template method origin curl outcome attempts steps"),
            (
                frame["calls"],
                "id in t ms op template method origin curl outcome status attempts steps"
            ),
        ]
        for (value, names) in expected {
            #expect(Self.names(value) == Set(names.split(separator: " ").map(String.init)))
        }
        #expect(frame["columns"]?[0]?.array?.count == 11 && frame["columns"]?[0]?[10]?.array?.count == 17)
    }

    /// A list that has no room for all says how many it leaves out.
    @Test func listsTellWhatTheyLeaveOut() async throws {
        let origins = try (0..<60).map { try Origin("https://host\($0).example.com") }
        let frame = try await frame { health in
            health.circuitBreakers = Dictionary(uniqueKeysWithValues: origins.map { (.host($0), .open) })
            for origin in origins {
                health.connections.origins[origin] = .init()
                health.retryBudgets[origin] = .init(retries: 3, isExhausted: false)
            }
        }
        for name in ["breakers", "origins", "budgets"] {
            let shown = try #require(frame[name]?.array).count
            let all = name == "breakers" ? 60 : 61
            #expect(shown < all && frame["\(name)_omitted"]?.int == all - shown, "\(name)")
        }
        #expect(frame["tokens_omitted"] == nil)
    }

    /// A call with a step of each kind, and its members.
    @Test func aCallHasEveryKindOfStep() async throws {
        let fixture = fixture
        let cause = FailureCause(
            .timeout, phase: .connect, origin: try Origin("https://other.example.com"), status: 503,
            underlying: .dnsFailure, serverCode: "invalid_client")
        let second = AttemptInfo(number: 2, reason: .retry)
        fixture.record(.started)
        fixture.record(.started, 2)
        fixture.record(.deduplicated(leader: 1), 2)
        fixture.clock.advance(by: .seconds(1))
        for kind in [
            .credentialWaited(.milliseconds(1)), .admissionWaited(.milliseconds(1)),
            .rateGateWaited(.milliseconds(1)), .rateGateHeld(for: .seconds(1)), .attemptStarted,
        ] as [RequestEvent.Kind] {
            fixture.record(kind)
        }
        let connection = ConnectionInfo(version: .http2, address: "::1", port: 443)
        var timings = ExchangeTimings()
        timings.connection = connection
        (timings.resolve, timings.connect, timings.tls) = (.zero, .zero, .zero)
        (timings.firstByte, timings.receive) = (.zero, .zero)
        fixture.record(.exchanged(timings))
        fixture.record(.attemptEnded(AttemptEnd(.response(status: 401), duration: .zero)))
        fixture.record(.credentialRejected(generation: 1))
        // The wait for the token that replaces it.
        fixture.clock.advance(by: .milliseconds(5))
        fixture.record(.credentialWaited(.milliseconds(5)))
        for kind in [
            .replayed(generation: 2), .retryScheduled(delay: .seconds(1), status: nil, error: .timeout),
            .redirected(status: 307, to: fixture.origin), .cacheLookedUp(.stale), .cacheStored(bytes: 9),
            .hedged(after: .seconds(1)), .hedgeDecided(.hedge),
        ] as [RequestEvent.Kind] {
            fixture.record(kind)
        }
        fixture.record(.attemptStarted, attempt: second)
        fixture.record(.attemptEnded(AttemptEnd(.error(.timeout, phase: .connect))), attempt: second)
        fixture.record(.notRetried(.budget, status: nil, error: .timeout), attempt: second)
        fixture.record(.failed(cause, attempts: 2, duration: .seconds(1)))
        fixture.record(.fallbackUsed(step: "stored", status: 503, error: .timeout))
        let frame = try await frame()
        let call = try #require(frame["calls"]?[0])
        #expect(
            Self.names(call).isSuperset(of: [
                "error", "phase", "cause", "server_error", "status", "failed_origin", "side", "hint",
                "callers",
                "joined_by",
            ]))
        let steps = try #require(call["steps"]?.array)
        // In the order of their begins. The wait for the second token begins at the rejection.
        #expect(
            steps.compactMap { $0["k"]?.string } == [
                "token", "admission", "rate_gate", "rate_limited", "attempt", "rejected", "token", "replayed",
                "retry", "redirected", "cache", "cache_stored", "hedged", "hedge_decided", "attempt",
                "not_retried", "fallback",
            ])
        #expect(
            steps.map { Self.names($0).subtracting(["k", "t"]) }[4...] == [
                ["d", "n", "why", "status", "http", "peer", "reused", "phases"], ["generation"], ["d"],
                ["generation"], ["d", "error"], ["status", "to"], ["result"], ["bytes"], [], ["winner"],
                ["d", "n", "why", "error", "phase", "sent"], ["reason", "error"], ["step", "status"],
            ])
        #expect(
            steps[4]["phases"]?.array?.compactMap { $0["k"]?.string } == [
                "queue", "dns", "connect", "tls", "first_byte", "receive",
            ])
        #expect(steps[4]["peer"]?.string == "[::1]:443" && steps[6]["d"]?.double == 5)
        let open = try #require(frame["open"]?[0])
        #expect(open["leader"] == call["id"] && open["steps"]?[0]?["k"]?.string == "joined")
    }
}
