import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct FaultTests {
    @Test func aBurstOfStatusesHitsTheNextRequests() async throws {
        let gateway = try EmbeddedGateway.start()
        let fault = gateway.inject(
            .status(503, retryAfter: .seconds(2)), into: .path("/echo"), skipping: 1, times: 2)
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await gateway.send("POST", "/echo").status) }
        #expect(statuses == [200, 503, 503, 200])
        #expect(fault.hits == 2)
        gateway.inject(.status(503, retryAfter: .seconds(2)), times: 1)
        #expect(try await gateway.send("GET", "/v1/health").fields["retry-after"] == "2")
        #expect(gateway.journal.map(\.wasFaulted) == [false, true, true, false, true])
        gateway.shutdown()
    }

    @Test func faultsOfTheAPIAndOfTheTokenEndpointAreApart() async throws {
        let gateway = try EmbeddedGateway.start()
        let grant = ["grant_type": "client_credentials"]
        gateway.inject(.status(500), into: .api)
        #expect(try await gateway.send("GET", "/v1/health").status == 500)
        #expect(try await gateway.requestToken(grant).status == 200)
        gateway.removeFaults()
        gateway.inject(.reply(.text("<html>", contentType: "text/html")), into: .token)
        let html = try await gateway.requestToken(grant)
        #expect((html.status, html.text) == (200, "<html>"))
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        gateway.shutdown()
    }

    @Test func scopesPickRequests() async throws {
        let gateway = try EmbeddedGateway.start()
        func hits(_ scope: EmbeddedGateway.Scope, _ method: String, _ target: String) async throws -> Bool {
            let fault = gateway.inject(.status(500), into: scope)
            _ = try await gateway.send(method, target)
            defer { fault.remove() }
            return fault.hits == 1
        }
        #expect(try await hits(.path("/v1/books"), "GET", "/v1/books?limit=1"))
        #expect(try await !hits(.path("/v1/books"), "GET", "/v1/books/bk-1"))
        #expect(try await hits(.path("/v1/books*"), "GET", "/v1/books/bk-1"))
        #expect(try await !hits(.path("/v1/books*", method: .delete), "GET", "/v1/books/bk-1"))
        #expect(try await hits(.everything, "GET", "/nowhere"))
        #expect(try await hits(.matching { $0.fields[.accept] == nil }, "GET", "/nowhere"))
        gateway.shutdown()
    }

    @Test func latencyRunsOnTheGatewaysClock() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        let gateway = try EmbeddedGateway.start(configuration)
        gateway.inject(.latency(.seconds(10)), times: 1)
        gateway.inject(.latency(.seconds(5)), times: 1)
        async let response = gateway.send("GET", "/v1/health")
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.seconds(15)])
        // Others are served meanwhile.
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        clock.advance(by: .seconds(15))
        #expect(try await response.status == 200)
        #expect(gateway.journal.map(\.wasFaulted) == [false, false])
        gateway.shutdown()
    }

    @Test func aDroppedConnectionEndsBeforeAByteAndWithoutEffect() async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        gateway.inject(.drop, times: 1)
        let response = try await gateway.send("DELETE", "/v1/books/bk-1", token: token)
        #expect(response.hasNoByte && response.end == .closed)
        #expect(try await gateway.send("GET", "/v1/books/bk-1", token: token).status == 200)
        #expect(gateway.journal.map(\.status) == [nil, 200])
        #expect(gateway.statistics.answers[.init(path: "*", status: nil)] == 1)
        gateway.shutdown()
    }

    @Test func aResetIsAReset() async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.inject(.reset, times: 1)
        let response = try await gateway.send("GET", "/v1/health")
        #expect(response.hasNoByte && response.end == .reset)
        gateway.shutdown()
    }

    @Test func aLostReplyLeavesItsEffect() async throws {
        let gateway = try EmbeddedGateway.start()
        let signedIn = try gateway.signIn()
        let grant = ["grant_type": "refresh_token", "refresh_token": signedIn.refreshToken.exposed]
        gateway.inject(.dropAfterProcessing, into: .token, times: 1)
        #expect(try await gateway.requestToken(grant).hasNoByte)
        // The token was rotated: a second use is a reuse.
        #expect(try await gateway.requestToken(grant).json["error"] == "invalid_grant")
        #expect(gateway.statistics.tokensGranted == 1)
        gateway.shutdown()
    }

    @Test(arguments: [0, 1, 10, 5000, 10_000, 20_000]) func aTornBodyIsShorterThanAnnounced(sent: Int)
        async throws
    {
        let gateway = try EmbeddedGateway.start()
        gateway.inject(.tear(afterBytes: sent), times: 1)
        let response = try await gateway.send("GET", "/bytes/10000")
        #expect(response.status == 200)
        #expect(!response.isComplete)
        #expect(response.body.count == min(sent, 10_000))
        #expect(response.contentLength == max(10_000, sent + 1))
        #expect(response.end == .closed)
        #expect(try await gateway.send("GET", "/bytes/10000").isComplete)
        gateway.shutdown()
    }

    @Test func refusedConnectionsComeBackOnTheSamePort() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        for _ in 0..<3 {
            gateway.refuseConnections(to: .api)
            await #expect(throws: RawConnection.Failure.refused) {
                try await RawClient.send(port: port, "GET", "/v1/health")
            }
            #expect(try await gateway.requestToken(["grant_type": "client_credentials"]).status == 200)
            try gateway.acceptConnections(to: .api)
            #expect(try await gateway.send("GET", "/v1/health").status == 200)
        }
        gateway.refuseConnections(to: .token)
        await #expect(throws: RawConnection.Failure.refused) {
            try await gateway.requestToken(["grant_type": "client_credentials"])
        }
        gateway.shutdown()
    }

    @Test func openConnectionsCanBeCut() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        let end = try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            connection.write(RawClient.text("GET", "/v1/health"))
            #expect(connection.response().status == 200)
            gateway.cutConnections()
            return connection.response().end
        }
        #expect(end == .closed)
        gateway.shutdown()
    }

    @Test func theSameSeedHitsTheSameRequests() async throws {
        func statuses(seed: UInt64) async throws -> [Int] {
            var configuration = EmbeddedGateway.Configuration()
            configuration.random = SeededRandomSource(seed: seed)
            let gateway = try EmbeddedGateway.start(configuration)
            gateway.inject(.status(503), probability: 0.5)
            var statuses: [Int] = []
            for _ in 0..<32 {
                // With an identifier of its own the request takes no randomness for one.
                statuses.append(try await gateway.send("GET", "/v1/health", ["X-Request-ID": "1"]).status)
            }
            gateway.shutdown()
            return statuses
        }
        let first = try await statuses(seed: 1)
        #expect(Set(first) == [200, 503])
        #expect(try await statuses(seed: 1) == first)
        #expect(try await statuses(seed: 2) != first)
    }
}
