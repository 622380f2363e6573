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
        let departures: DepartureCounter
        let engine: GatewayEngine
        let coordinator: TokenRefreshCoordinator

        init(connections: Int = 64) throws {
            var configuration = EmbeddedGateway.Configuration()
            configuration.bookCount = RevocationStormTests.callCount
            gateway = try EmbeddedGateway.start(configuration)
            var transport = CurlConfiguration()
            transport.connectionsPerOrigin = connections
            // Thousands of calls wait for few connections; how long is not what is tested.
            transport.timeouts.queue = .seconds(3600)
            departures = DepartureCounter(CurlTransport(configuration: transport))
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
                transport: departures, tokenTransport: tokenTransport, configuration: gatewayConfiguration)
        }

        /// - Parameter call: a number that tells equal calls apart, so that none shares the response of another.
        func get(_ number: Int, of call: Int = 0) async throws -> HTTPResponse {
            try await engine.send(
                try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-\(number + 1)?call=\(call)"))
        }

        /// Sends all calls, revokes the token when each of them carries it, and gives what came of them.
        func storm(cancelling isCancelled: (Int) -> Bool) async throws -> [Result<HTTPResponse, any Error>] {
            let hold = gateway.hold()
            let expected = departures.count + RevocationStormTests.callCount
            let calls = (0..<RevocationStormTests.callCount).map { number in
                Task { try await get(number) }
            }
            await departures.reach(expected)
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
            let tokens = rig.gateway.statistics.tokenRequestCount
            let results = try await rig.storm { _ in false }
            #expect(rig.gateway.statistics.tokenRequestCount == tokens + 1, "round \(round)")
            let responses = try results.map { try $0.get() }
            #expect(responses.allSatisfy { $0.status == 200 }, "round \(round)")
            #expect(responses.allSatisfy { $0.exchange.attempts <= 2 }, "round \(round)")
        }
    }

    // MARK: Revocations while calls wait

    /// The token is revoked four times while calls wait for four connections. Each revocation concerns the four requests
    /// that are at the server: those that wait are stamped again, in the end also replays. A request of each token
    /// succeeds before. The refresh is held until the next revocation is prepared, so that no request comes in between.
    @Test func aRevocationConcernsTheRequestsOnTheWire() async throws {
        let (connections, revocations) = (4, 4)
        let rig = try Rig(connections: connections)
        defer { rig.gateway.shutdown() }
        #expect(try await rig.get(0).status == 200)
        let before = rig.gateway.statistics
        var requests = rig.gateway.hold(.api)
        let calls = (0..<(connections * revocations)).map { number in
            Task { try await rig.get(number) }
        }
        // All calls have a connection or wait for one.
        await rig.departures.reach(1 + calls.count)
        for revocation in 1...revocations {
            await requests.waitForArrivals(connections)
            requests.release(1)
            await requests.waitForArrivals(connections + 1)
            let refresh = rig.gateway.hold(.token)
            rig.gateway.revokeCurrentTokens()
            requests.release()
            await refresh.waitForArrivals(1)
            let unauthorized = before.unauthorized + connections * revocation
            #expect(await isEventually { rig.gateway.statistics.unauthorized == unauthorized })
            requests = rig.gateway.hold(.api)
            refresh.release()
        }
        requests.release()
        var (statuses, replays) = ([Int](), 0)
        for call in calls {
            let response = try await call.value
            statuses.append(response.status)
            replays += response.exchange.attempts - 1
            #expect((1...2).contains(response.exchange.attempts))
        }
        let after = rig.gateway.statistics
        #expect(after.unauthorized == before.unauthorized + connections * revocations)
        #expect(after.tokenRequestCount == before.tokenRequestCount + revocations)
        // Each rejection led to a replay, or was the second one of its call, in the end at the latest.
        let refused = statuses.count { $0 == 401 }
        #expect(refused == connections * revocations - replays && refused > 0)
        #expect(statuses.count { $0 == 200 } == calls.count - refused)
    }

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

    /// The same under load, where a revocation concerns the requests on the wire, and those that are sent until the client
    /// learns of it: no more than the connections, twice.
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
            let calls = (0..<count).map { number in
                Task {
                    let response = try await rig.get(number % Self.callCount, of: number)
                    #expect(response.status == 200 || response.exchange.attempts == 2)
                    if response.status == 200, revocations.isDue() { rig.gateway.revokeCurrentTokens() }
                    return response.status
                }
            }
            var refused = 0
            for call in calls { refused += try await call.value == 200 ? 0 : 1 }
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
