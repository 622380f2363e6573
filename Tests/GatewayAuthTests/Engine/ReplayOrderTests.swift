import GatewayClient
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// When the next token comes, the calls that are sent again have their places before first attempts.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct ReplayOrderTests {
    private static let url = "https://api.example.com"

    private let clock = ManualClock()
    private let events = EventRecorder()
    /// Holds one request.
    private let held = Gate()
    /// Holds requests with the first token.
    private let revocation = Gate()
    /// Holds the second token.
    private let token = Gate()
    /// Holds requests with the second token.
    private let replies = Gate()
    private let transport: ScriptedTransport
    private let coordinator: TokenRefreshCoordinator

    init() {
        let (held, revocation, token, replies) = (held, revocation, token, replies)
        transport = ScriptedTransport { request, index in
            if index == 0 { return .status(200) }
            if request.target == "/held" {
                await held.pass()
                return .status(200)
            }
            guard request.fields[.authorization] == "Bearer token-1" else {
                await replies.pass()
                return .status(200)
            }
            await revocation.pass()
            return .status(401, fields: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        }
        coordinator = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer { _, index in
                if index > 0 { await token.pass() }
                return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(3600))
            }, clock: clock)
    }

    /// An engine with two permits whose first token was accepted.
    private func engine(coalesces: Bool = false) async throws -> AuthenticatedRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(2), inAll: 2)
        if !coalesces { configuration.coalescing = nil }
        configuration.clock = clock
        configuration.events = events
        let engine = AuthenticatedRequestEngine(
            below: AsyncRequestEngine(transport: transport, configuration: configuration),
            coordinator: coordinator, scope: try CredentialScope([Self.url]), clock: clock)
        #expect(try await engine.send(try HTTPRequest(.get, Self.url + "/first")).status == 200)
        return engine
    }

    private func call(_ engine: AuthenticatedRequestEngine, _ target: String) throws -> Task<Int, any Error> {
        let request = try HTTPRequest(.get, Self.url + target)
        return Task { try await engine.send(request).status }
    }

    private func waitForToken(_ count: Int) async {
        let slot = coordinator.slot(for: .default)
        await eventually { slot.waiterCount == count }
    }

    private var targets: [String] {
        transport.requests.filter { $0.fields[.authorization] == "Bearer token-2" }.map(\.target)
    }

    @Test func replaysAreSentBeforeFirstAttempts() async throws {
        let engine = try await engine()
        var calls = [try call(engine, "/replayed/0"), try call(engine, "/replayed/1")]
        await revocation.waitForArrivals(2)
        for number in 0..<20 { calls.append(try call(engine, "/late/\(number)")) }
        revocation.open()
        await waitForToken(22)
        token.open()
        await replies.waitForArrivals(2)
        #expect(Set(targets) == ["/replayed/0", "/replayed/1"])
        replies.open()
        for call in calls { #expect(try await call.value == 200) }
        #expect(transport.requests.count == 25)
    }

    /// A call that shares the response of another one takes no place before first attempts.
    @Test func aReplayThatFollowsHoldsNobodyBack() async throws {
        let engine = try await engine(coalesces: true)
        var calls = [try call(engine, "/held")]
        await held.waitForArrivals(1)
        calls += [try call(engine, "/replayed"), try call(engine, "/replayed")]
        await revocation.waitForArrivals(1)
        await eventually {
            events.events.contains { if case .deduplicated = $0.kind { true } else { false } }
        }
        for number in 0..<20 { calls.append(try call(engine, "/late/\(number)")) }
        revocation.open()
        await waitForToken(22)
        token.open()
        await replies.waitForArrivals(1)
        #expect(targets == ["/replayed"])
        held.open()
        await replies.waitForArrivals(2)
        replies.open()
        for call in calls { #expect(try await call.value == 200) }
    }

    /// Who waits for replays leaves with its task and at its deadline.
    @Test func theWaitEndsWithTheCall() async throws {
        let origin = try Origin(Self.url)
        let source = try #require(
            coordinator.credentials(origins: [origin]).pinned() as? SlotCredentialSource)
        try await source.ready(atLeast: 0, deadline: nil)
        #expect(source.isReady(atLeast: 0))
        let place = ReplayPrecedence.Place(source.replays)
        place.wait()
        place.wait()
        var request = try HTTPRequest(.get, Self.url)
        #expect(!source.isReady(atLeast: 0) && source.isReady(atLeast: 1))
        let early = try source.stamp(&request, atLeast: 0)
        #expect(early == nil && !source.hasExpired(atLeast: 0))
        func wait(_ deadline: Deadline?) -> Task<NetworkError.Code?, Never> {
            Task {
                await outcome { () throws(NetworkError) in
                    try await source.ready(atLeast: 0, deadline: deadline)
                }.code
            }
        }
        let calls = [wait(nil), wait(.after(.seconds(1), clock: clock)), wait(nil)]
        await eventually { source.replays.waiterCount == 3 }
        calls[0].cancel()
        #expect(await calls[0].value == .cancelled)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await calls[1].value == .timeout)
        place.pass()
        #expect(await calls[2].value == nil)
        place.pass()
        let late = try source.stamp(&request, atLeast: 0)
        #expect(source.isReady(atLeast: 0) && late?.generation == 1)
    }
}
