import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// A thousand calls meet a token that was just revoked.
@Suite(.serialized, .tags(.concurrent)) struct RevocationStormTests {
    private static let callCount = 1000

    /// The whole stack against the embedded gateway.
    private struct Rig {
        let gateway: EmbeddedGateway
        let engine: GatewayEngine
        let coordinator: TokenRefreshCoordinator

        static let connections = 64

        init(connections: Int = Rig.connections) throws {
            var configuration = EmbeddedGateway.Configuration()
            configuration.bookCount = RevocationStormTests.callCount
            gateway = try EmbeddedGateway.start(configuration)
            var transport = CurlConfiguration()
            transport.connectionsPerOrigin = connections
            // Thousands of calls wait for few connections; how long is not what is tested.
            transport.timeouts.queue = .seconds(3600)
            let tokenTransport = CurlTransport()
            let endpoint = try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: tokenTransport)
            coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
            var gatewayConfiguration = GatewayConfiguration()
            gatewayConfiguration.authentication = GatewayConfiguration.Authentication(
                coordinator: coordinator,
                scope: CredentialScope([gateway.origin], key: endpoint.key(scopes: ["books:read"])))
            gatewayConfiguration.deadline = .seconds(3600)
            engine = GatewayEngine(
                transport: CurlTransport(configuration: transport), tokenTransport: tokenTransport,
                configuration: gatewayConfiguration)
        }

        /// - Parameter call: a number that tells equal calls apart, so that none shares the response of another.
        func get(_ number: Int, of call: Int = 0) async throws -> HTTPResponse {
            try await engine.send(
                try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-\(number + 1)?call=\(call)"))
        }

        /// Makes calls, and revokes the token when it is due. Gives how many were refused.
        func load(_ count: Int, _ revocations: Revocations) async throws -> Int {
            let calls = (0..<count).map { number in
                Task {
                    let response = try await get(number % RevocationStormTests.callCount, of: number)
                    #expect(response.status == 200 || response.exchange.attempts == 2)
                    if response.status == 200, revocations.isDue() { gateway.revokeCurrentTokens() }
                    return response.status
                }
            }
            var refused = 0
            for call in calls { refused += try await call.value == 200 ? 0 : 1 }
            return refused
        }

        /// Makes all calls, revokes the token when each of them is on the wire or waits for a connection, and gives what came
        /// of them.
        func storm(cancelling isCancelled: (Int) -> Bool) async throws -> [Result<HTTPResponse, any Error>] {
            let hold = gateway.hold()
            let calls = (0..<RevocationStormTests.callCount).map { number in
                Task { try await get(number) }
            }
            let areMade = await isEventually {
                let counts = await engine.statistics().all
                return counts.active + counts.waiting == RevocationStormTests.callCount
            }
            #expect(areMade)
            gateway.revokeCurrentTokens()
            for (number, call) in calls.enumerated() where isCancelled(number) { call.cancel() }
            hold.release()
            var results: [Result<HTTPResponse, any Error>] = []
            for call in calls { results.append(await call.result) }
            return results
        }
    }

    @Test(.timeLimit(.minutes(10))) func oneTokenRequestAndOneReplayEach() async throws {
        try await oneTokenRequestAndOneReplayEach(rounds: 1)
    }

    @Test(.realTime("1,000 rounds take minutes"), .timeLimit(.minutes(60)))
    func oneTokenRequestAndOneReplayEachManyTimes() async throws {
        try await oneTokenRequestAndOneReplayEach(rounds: SoakScale.rounds(100))
    }

    private func oneTokenRequestAndOneReplayEach(rounds: Int) async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get(0).status == 200)
        for round in 1...rounds {
            let before = rig.gateway.statistics
            let results = try await rig.storm { _ in false }
            let after = rig.gateway.statistics
            #expect(after.tokenRequestCount == before.tokenRequestCount + 1, "round \(round)")
            // What waited for a connection is stamped with the next token.
            #expect(after.unauthorized - before.unauthorized == Rig.connections, "round \(round)")
            let responses = try results.map { try $0.get() }
            #expect(responses.allSatisfy { $0.status == 200 }, "round \(round)")
            #expect(responses.allSatisfy { $0.exchange.attempts <= 2 }, "round \(round)")
        }
    }

    // MARK: Revocations while calls wait

    /// How often the token is revoked.
    enum Pace: Sendable {
        case calls(Int)
        case time(Duration)
    }

    /// Says when the next revocation is due, and counts them.
    private final class Revocations: Sendable {
        private struct State {
            var served = 0
            var last = ContinuousClock.now
            var count = 0
        }

        private let pace: Pace
        private let state = Locked(State())

        init(_ pace: Pace) { self.pace = pace }

        var count: Int { state.withLock(\.count) }

        /// Counts a call that was served, and returns whether a revocation is due.
        func isDue() -> Bool {
            state.withLock { state in
                state.served += 1
                switch pace {
                case .calls(let calls):
                    guard state.served.isMultiple(of: calls) else { return false }
                case .time(let time):
                    guard state.last.duration(to: .now) >= time else { return false }
                    state.last = .now
                }
                state.count += 1
                return true
            }
        }
    }

    /// The token is revoked again and again while calls wait for a connection. Each call gets its response, or the second
    /// 401.
    @Test func everyCallEndsThoughTokensAreRevoked() async throws {
        let rig = try Rig(connections: 8)
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get(0).status == 200)
        _ = try await rig.load(200, Revocations(.calls(50)))
    }

    /// The same under load. A revocation concerns the requests on the wire, and those that are sent until the client learns
    /// of it: no more than the connections, twice. The requests that wait are not stamped yet, also if all of them are
    /// replays.
    @Test(
        .realTime("how many requests a client sends until it learns of a revocation depends on its speed"),
        .timeLimit(.minutes(10)),
        arguments: [
            (1_000, 8, Pace.calls(100), 10), (10_000, 256, .calls(2_000), 1),
            (10_000, 256, .time(RealTime.isJudged ? .milliseconds(500) : .seconds(2)), 1),
        ])
    func revocationsWhileCallsWait(count: Int, connections: Int, pace: Pace, rounds: Int) async throws {
        let rig = try Rig(connections: connections)
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get(0).status == 200)
        for round in 1...SoakScale.rounds(rounds) {
            let revocations = Revocations(pace)
            let before = rig.gateway.statistics
            let refused = try await rig.load(count, revocations)
            let after = rig.gateway.statistics
            let bound = revocations.count * connections * 2
            #expect(revocations.count > 0, "round \(round)")
            // A client that is starved learns late, and what it sends meanwhile is rejected.
            guard RealTime.isJudged else { continue }
            #expect(after.unauthorized - before.unauthorized <= bound, "round \(round)")
            // Only a call whose second attempt was on the wire during another revocation ends with a 401.
            #expect(refused <= bound / 4, "round \(round)")
        }
    }

    // MARK: Cancellations

    @Test(.timeLimit(.minutes(10))) func aFifthOfTheCallersGoAway() async throws {
        try await aFifthOfTheCallersGoAway(rounds: 1)
    }

    @Test(.realTime("1,000 rounds take minutes"), .timeLimit(.minutes(60)))
    func aFifthOfTheCallersGoAwayManyTimes() async throws {
        try await aFifthOfTheCallersGoAway(rounds: SoakScale.rounds(100))
    }

    private func aFifthOfTheCallersGoAway(rounds: Int) async throws {
        let rig = try Rig()
        defer { rig.gateway.shutdown() }
        let random = SeededRandomSource(seed: TestSeed.value(20))
        #expect(try await rig.get(0).status == 200)
        for round in 1...rounds {
            let tokens = rig.gateway.statistics.tokenRequestCount
            var cancelled: Set<Int> = []
            let results = try await rig.storm { number in
                guard random.int(in: 0..<5) == 0 else { return false }
                cancelled.insert(number)
                return true
            }
            #expect(rig.gateway.statistics.tokenRequestCount == tokens + 1, "round \(round)")
            for (number, result) in results.enumerated() {
                switch result {
                case .success(let response):
                    #expect(response.status == 200, "round \(round)")
                    #expect(response.exchange.attempts <= 2, "round \(round)")
                case .failure(let error):
                    #expect(
                        cancelled.contains(number) && (error as? NetworkError)?.code == .cancelled,
                        "round \(round)")
                }
            }
            #expect(results.contains { if case .failure = $0 { true } else { false } })
        }
    }
}
