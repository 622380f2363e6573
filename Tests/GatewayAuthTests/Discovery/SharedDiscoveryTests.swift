import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Many who ask for an issuer's metadata at once.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct SharedDiscoveryTests {
    private static let issuer = "https://login.example.com"
    private static let document = #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#

    private let clock = ManualClock()
    /// Holds the first answer back.
    private let gate = Gate()

    private func discover(
        _ replies: ScriptedTransport.Reply...
    ) throws -> (AuthorizationServerDiscovery, ScriptedTransport) {
        let transport = ScriptedTransport { [gate] _, index in
            if index == 0 { await gate.pass() }
            return replies[min(index, replies.count - 1)]
        }
        return (
            try AuthorizationServerDiscovery(issuer: Self.issuer, transport: transport, clock: clock),
            transport
        )
    }

    /// How one call ends: `nil` is well.
    private func ask(
        _ discovery: AuthorizationServerDiscovery, _ deadline: Deadline? = nil
    ) async -> NetworkError? {
        do throws(NetworkError) {
            _ = try await discovery.metadata(deadline: deadline)
            return nil
        } catch { return error }
    }

    @Test(arguments: [200, 503]) func aManyOfCallersMakeOneRequest(status: Int) async throws {
        let (discovery, transport) = try discover(
            .status(status, fields: [.retryAfter: "7"], Self.document), .status(200, Self.document))
        let errors = await withTaskGroup(of: NetworkError?.self) { group in
            for _ in 0..<200 { group.addTask { await ask(discovery) } }
            await eventually { discovery.waiterCount == 200 }
            // One to end the request when it takes too long, and nobody else.
            await clock.waitForSleepers(1)
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.count == 200)
        #expect(transport.requests.count == 1)
        #expect(errors.allSatisfy { ($0 == nil) == (status == 200) })
        #expect(errors.allSatisfy { $0 == nil || $0?.retryAfter == .seconds(7) && $0?.status == 503 })
        // A failure is nobody's but theirs.
        #expect(await ask(discovery) == nil)
        #expect(transport.requests.count == (status == 200 ? 1 : 2))
    }

    @Test func aRequestOutlivesWhoCausedIt() async throws {
        let (discovery, transport) = try discover(.status(200, Self.document))
        let first = Task { await ask(discovery) }
        await gate.waitForArrivals(1)
        let second = Task { await ask(discovery) }
        first.cancel()
        #expect(await first.value?.code == .cancelled)
        gate.open()
        #expect(await second.value == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func eachLeavesAtHisOwnDeadline() async throws {
        let (discovery, transport) = try discover(.status(200, Self.document))
        let hasty = Task { [clock] in await ask(discovery, .after(.seconds(1), clock: clock)) }
        await gate.waitForArrivals(1)
        let patient = Task { [clock] in await ask(discovery, .after(.seconds(20), clock: clock)) }
        // The alarm of the first and that of the request.
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        #expect(await hasty.value?.code == .tokenUnavailable)
        gate.open()
        #expect(await patient.value == nil)
        #expect(transport.requests.count == 1)
    }

    @Test func anIssuerThatNeverAnswersIsGivenUp() async throws {
        let (discovery, transport) = try discover(.status(200, Self.document))
        let first = Task { await ask(discovery) }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await first.value?.code == .tokenUnavailable)
        #expect(await ask(discovery) == nil)
        #expect(transport.requests.count == 2)
        gate.open()
    }

    /// Keys of one acquirer that begin together find their endpoint together.
    @Test func keysThatBeginTogetherDiscoverOnce() async throws {
        let (discovery, transport) = try discover(.status(200, Self.document))
        let tokens = ScriptedTransport(.status(200, #"{"access_token":"t","token_type":"Bearer"}"#))
        let acquirer = DiscoveredTokenAcquirer(discovery) { metadata in
            ClientCredentials(
                endpoint: try TokenEndpoint(
                    metadata, client: .publicClient(clientID: "app"), transport: tokens))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer)
        let leases = try await withThrowingTaskGroup(of: TokenLease.self) { group in
            for number in 0..<20 {
                let key = TokenKey(issuer: Self.issuer, client: "app", scopes: ["s\(number)"])
                group.addTask { try await coordinator.token(for: key) }
            }
            await gate.waitForArrivals(1)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(leases.count == 20 && tokens.requests.count == 20)
        #expect(transport.requests.count == 1)
    }
}
