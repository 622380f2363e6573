import GatewayClient
import GatewayCore
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// The deadline of a task, seen by calls through the whole stack, and by work that serves others.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct AmbientDeadlineTests {
    private let clock = ManualClock()

    /// Records the deadlines of tasks, and waits.
    private actor Tokens: TokenProvider {
        let gate: Gate
        private(set) var deadlines: [Deadline?] = []
        private var number = 0

        init(_ gate: Gate) { self.gate = gate }

        func currentToken() async throws -> String? { nil }
        func refreshToken() async throws -> String {
            deadlines.append(Deadline.ambient)
            await gate.pass()
            number += 1
            return "token-\(number)"
        }
    }

    private func engine(_ transport: any Transport, _ provider: (any TokenProvider)? = nil) throws
        -> GatewayEngine
    {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.retry.policy = .fixed(attempts: 5, delay: .seconds(2))
        if let provider {
            configuration.authentication = GatewayConfiguration.Authentication(
                coordinator: TokenRefreshCoordinator(provider: provider, clock: clock),
                scope: try CredentialScope(["https://api.example.com"]))
        }
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    private func request(_ path: String = "") throws -> HTTPRequest {
        try HTTPRequest(.get, "https://api.example.com/\(path)")
    }

    /// A list and its items have one deadline: what the list has taken is not left for the items.
    @Test func callsOfATaskShareADeadline() async throws {
        let transport = ScriptedTransport { request, index in .status(index == 1 ? 200 : 503) }
        let engine = try engine(transport)
        let (list, item) = (try request("list"), try request("item"))
        let task = Task { [clock] in
            try await withDeadline(.after(.seconds(3), clock: clock)) {
                let first = try await engine.send(list)
                return (first.status, try await engine.send(item).status)
            }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        // The retry of the second call is due after the deadline.
        let statuses = try await task.value
        #expect(statuses == (200, 503) && transport.requests.count == 3)
    }

    @Test func aRefreshDoesNotInheritIt() async throws {
        let gate = Gate()
        let tokens = Tokens(gate)
        let engine = try engine(ScriptedTransport(.status(200)), tokens)
        let request = try request()
        let hasty = Task { [clock] in
            try await withDeadline(.after(.seconds(1), clock: clock)) { try await engine.send(request) }
        }
        await gate.waitForArrivals(1)
        let patient = Task { try await engine.send(request, options: CallOptions(query: [("a", "b")])) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: NetworkError.self) { try await hasty.value }
        #expect(error?.code == .timeout && error?.limit == .call)
        gate.open()
        #expect(try await patient.value.status == 200)
        #expect(await tokens.deadlines == [nil])
    }

    @Test func requestsForKeysAndMetadataDoNotInheritIt() async throws {
        let deadlines = Locked<[Deadline?]>([])
        let transport = ScriptedTransport { _, _ in
            deadlines.withLock { $0.append(Deadline.ambient) }
            return .status(404)
        }
        let keys = try JSONWebKeySetSource(
            "https://issuer.example.com/keys", transport: transport, clock: clock)
        let discovery = try AuthorizationServerDiscovery(
            issuer: "https://issuer.example.com", transport: transport, clock: clock)
        await withDeadline(.after(.seconds(1), clock: clock)) {
            await #expect(throws: JSONWebTokenError.self) {
                try await keys.candidates(keyID: "k", algorithm: .rs256)
            }
            await #expect(throws: NetworkError.self) { try await discovery.metadata() }
        }
        #expect(deadlines.withLock { $0 } == [nil, nil])
    }

    /// Of equal calls, each keeps the deadline of its own task.
    @Test func aSharedFlightLastsAsLongAsItsLastFollower() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, index in
            if index == 0 { await gate.pass() }
            return .status(index == 0 ? 503 : 200)
        }
        let recorder = EventRecorder()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = recorder
        configuration.retry.policy = .fixed(attempts: 2, delay: .seconds(5))
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try request()
        func call(_ seconds: Int) -> Task<HTTPResponse, any Error> {
            Task { [clock] in
                try await withDeadline(.after(.seconds(seconds), clock: clock)) {
                    try await engine.send(request)
                }
            }
        }
        let hasty = call(2)
        await gate.waitForArrivals(1)
        let patient = call(30)
        let isFollowing = {
            recorder.events.contains { if case .deduplicated = $0.kind { true } else { false } }
        }
        #expect(await isEventually { isFollowing() })
        gate.open()
        #expect(try await hasty.value.status == 503)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(try await patient.value.status == 200)
    }

    /// Other work that is limited in time limits its calls, too.
    @Test func retriesAndTimeoutsOfOtherWorkTakePart() async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await withDeadline(.after(.seconds(3), clock: clock)) {
                try await RetryExecutor(.fixed(attempts: 5, delay: .seconds(3)), clock: clock).execute {
                    throw NetworkError(.dnsFailure, "Unknown.")
                }
            }
        }
        #expect(error?.code == .dnsFailure && clock.requestedDelays.isEmpty)
        let expected = Deadline.after(.seconds(2), clock: clock)
        #expect(try await executeWithTimeout(.seconds(2), clock: clock) { Deadline.ambient } == expected)
    }
}
