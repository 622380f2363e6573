import GatewayCore
import GatewayTesting
import Testing

@Suite struct LedgerTests {
    @Test func requestsAreCountedByRouteAndStatus() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        for id in ["bk-1", "bk-2", "nope"] {
            _ = try await gateway.send("GET", "/v1/books/\(id)", token: token)
        }
        _ = try await gateway.send("GET", "/v1/books/bk-1")
        _ = try await gateway.send("GET", "/nowhere")
        _ = try await gateway.requestToken(["grant_type": "client_credentials"])
        _ = try await gateway.requestToken(["grant_type": "something"])
        let statistics = gateway.statistics
        #expect(statistics.requests == 7)
        #expect(
            statistics.answers == [
                .init(path: "/v1/books/{bookId}", status: 200): 2,
                .init(path: "/v1/books/{bookId}", status: 404): 1,
                .init(path: "/v1/books/{bookId}", status: 401): 1, .init(path: "*", status: 404): 1,
                .init(path: "/oauth/token", status: 200): 1, .init(path: "/oauth/token", status: 400): 1,
            ])
        #expect(statistics.answered(path: "/v1/books/{bookId}") == 4)
        #expect(statistics.answered(status: 200) == 3)
        #expect(statistics.tokenRequests == ["client_credentials": 1, "other": 1])
        #expect(statistics.unauthorized == 1)
        #expect(statistics.connectionsOpened == 7)
        gateway.resetStatistics()
        #expect(gateway.statistics.requests == 0 && gateway.statistics.answers.isEmpty)
        #expect(gateway.journal.isEmpty)
        gateway.shutdown()
    }

    @Test func theJournalKeepsTheLatest() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        configuration.journalLimit = 3
        let gateway = try EmbeddedGateway.start(configuration)
        let start = clock.now
        for index in 0..<5 {
            _ = try await gateway.send("GET", "/status/20\(index)?secret=1", ["Idempotency-Key": "k"])
            clock.advance(by: .seconds(1))
        }
        let journal = gateway.journal
        #expect(journal.map(\.number) == [3, 4, 5])
        #expect(journal.map(\.path) == ["/status/202", "/status/203", "/status/204"])
        #expect(journal.map(\.status) == [202, 203, 204])
        #expect(journal.map(\.arrival) == [2, 3, 4].map { start + .seconds($0) })
        #expect(journal.allSatisfy { $0.method == .get && $0.hasIdempotencyKey && !$0.wasFaulted })
        gateway.resetStatistics()
        _ = try await gateway.send("GET", "/status/200")
        #expect(gateway.journal.map(\.number) == [6])
        gateway.shutdown()
    }

    @Test func withoutAJournalOnlyCountersRemain() async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.journalLimit = 0
        let gateway = try EmbeddedGateway.start(configuration)
        _ = try await gateway.send("GET", "/status/200")
        #expect(gateway.journal.isEmpty)
        #expect(gateway.statistics.requests == 1)
        gateway.shutdown()
    }
}
