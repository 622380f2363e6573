import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct HoldTests {
    @Test func heldRequestsGoOnWhenReleased() async throws {
        let gateway = try EmbeddedGateway.start()
        let hold = gateway.hold(.path("/echo"))
        async let first = gateway.send("POST", "/echo", body: "1")
        await hold.waitForArrivals(1)
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        async let second = gateway.send("POST", "/echo", body: "2")
        await hold.waitForArrivals(2)
        #expect(hold.heldCount == 2)
        hold.release(1)
        #expect(try await first.text == "1")
        #expect(hold.heldCount == 1)
        hold.release()
        #expect(try await second.text == "2")
        #expect(try await gateway.send("POST", "/echo", body: "3").text == "3")
        #expect(hold.arrivals == 2)
        gateway.shutdown()
    }

    @Test func aRequestPassesEveryHold() async throws {
        let gateway = try EmbeddedGateway.start()
        let (first, second) = (gateway.hold(), gateway.hold(.path("/echo")))
        async let response = gateway.send("POST", "/echo")
        await first.waitForArrivals(1)
        #expect(second.arrivals == 0)
        first.release()
        await second.waitForArrivals(1)
        second.release()
        #expect(try await response.status == 200)
        gateway.shutdown()
    }

    @Test func passesMayBeGivenAhead() async throws {
        let gateway = try EmbeddedGateway.start()
        let hold = gateway.hold()
        hold.release(2)
        for _ in 0..<2 { #expect(try await gateway.send("POST", "/echo").status == 200) }
        async let held = gateway.send("POST", "/echo")
        await hold.waitForArrivals(3)
        #expect(hold.heldCount == 1)
        hold.release()
        #expect(try await held.status == 200)
        gateway.shutdown()
    }

    @Test func aThousandCallsArriveWithATokenThatIsRevokedThen() async throws {
        try raiseDescriptorLimit()
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        let hold = gateway.hold(.api)
        let port = gateway.origin.port
        let calls = Task {
            try await RawClient.blocking {
                // All connections stand before the first answer is read.
                let request = RawClient.text(
                    "GET", "/v1/books/bk-1", ["Authorization": "Bearer \(token.exposed)"])
                let connections = try (0..<1000).map { _ in
                    let connection = try RawConnection(port: port)
                    connection.write(request)
                    return connection
                }
                return connections.map { $0.response().status }
            }
        }
        await hold.waitForArrivals(1000)
        #expect(hold.heldCount == 1000)
        #expect(gateway.statistics.connectionsOpen == 1000)
        #expect(gateway.revokeCurrentTokens() == 1)
        hold.release()
        let statuses = try await calls.value
        #expect(statuses.count == 1000 && statuses.allSatisfy { $0 == 401 })
        #expect(gateway.statistics.unauthorized == 1000)
        #expect(gateway.statistics.peakRequests == 1000)
        #expect(gateway.statistics.peakConnections == 1000)
        #expect(gateway.journal.allSatisfy { $0.tokenGeneration == 1 && $0.status == 401 })
        gateway.shutdown()
    }

    @Test func shutdownClosesTheConnectionsOfThoseWhoWait() async throws {
        let clock = ManualClock()
        var configuration = EmbeddedGateway.Configuration()
        configuration.clock = clock
        let gateway = try EmbeddedGateway.start(configuration)
        let hold = gateway.hold(.path("/held"))
        let gate = Gate()
        gateway.inject(.latency(.seconds(100)), into: .path("/late"))
        gateway.route(.get, "/slow") { _ in
            await gate.pass()
            return .status(200)
        }
        async let held = gateway.send("GET", "/held")
        async let late = gateway.send("GET", "/late")
        async let slow = gateway.send("GET", "/slow")
        await hold.waitForArrivals(1)
        await clock.waitForSleepers(1)
        await gate.waitForArrivals(1)
        gateway.shutdown()
        for response in try await [held, late, slow] { #expect(response.hasNoByte) }
        // Late releases find nobody.
        hold.release()
        gate.open()
        clock.advance(by: .seconds(100))
    }

    @Test func anOrderlyShutdownWaitsForResponses() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        let gate = Gate()
        let content = [UInt8](repeating: 7, count: 4 << 20)
        gateway.route(.get, "/slow") { _ in
            await gate.pass()
            return EmbeddedGateway.Reply(body: content)
        }
        async let slow = gateway.send("GET", "/slow")
        await gate.waitForArrivals(1)
        let end = Task { await gateway.shutdown(within: .seconds(3600)) }
        #expect(
            await isEventually {
                do { _ = try await RawClient.send(port: port, "GET", "/v1/health") } catch {
                    return error as? RawConnection.Failure == .refused
                }
                return false
            })
        gate.open()
        #expect(try await slow.body == content)
        await end.value
    }

    @Test func anOrderlyShutdownHasALimit() async throws {
        let gateway = try EmbeddedGateway.start()
        let hold = gateway.hold(.path("/held"))
        async let held = gateway.send("GET", "/held")
        await hold.waitForArrivals(1)
        await gateway.shutdown(within: .zero)
        #expect(try await held.hasNoByte)
    }
}

/// Lets the process hold the descriptors of both ends of a thousand connections.
func raiseDescriptorLimit() throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, 16_384)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    try #require(limit.rlim_cur >= 4096)
}
