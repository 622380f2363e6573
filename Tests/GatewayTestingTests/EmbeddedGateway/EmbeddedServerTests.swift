import Foundation
import GatewayCore
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct EmbeddedServerTests {
    @Test func itServesOnAFreePortAndStopsForGood() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        let response = try await gateway.send("GET", "/v1/health")
        #expect(response.status == 200)
        #expect(response.json == ["status": "up", "version": "1.2.0"])
        #expect(response.fields["date"] != nil)
        gateway.shutdown()
        gateway.shutdown()
        await #expect(throws: RawConnection.Failure.refused) {
            try await RawClient.send(port: port, "GET", "/v1/health")
        }
    }

    @Test func aGatewayThatNobodyHoldsStops() async throws {
        var gateway: EmbeddedGateway? = try EmbeddedGateway.start()
        let port = try #require(gateway?.origin.port)
        _ = try await gateway?.send("GET", "/v1/health")
        weak let watched = gateway
        gateway = nil
        #expect(watched == nil)
        await #expect(throws: RawConnection.Failure.refused) {
            try await RawClient.send(port: port, "GET", "/v1/health")
        }
    }

    @Test func manyGatewaysLiveSideBySide() async throws {
        let gateways = try (0..<8).map { _ in try EmbeddedGateway.start() }
        #expect(Set(gateways.flatMap { [$0.origin.port, $0.tokenOrigin.port] }).count == 16)
        for (index, gateway) in gateways.enumerated() {
            gateway.route(.get, "/who") { _ in .text("\(index)") }
            #expect(try await gateway.send("GET", "/who").text == "\(index)")
        }
        for gateway in gateways { gateway.shutdown() }
    }

    @Test func aPortThatIsTakenIsAnError() throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let port = gateway.origin.port
        var configuration = EmbeddedGateway.Configuration()
        configuration.port = port
        let error = #expect(throws: EmbeddedGateway.StartError.self) {
            try EmbeddedGateway.start(configuration)
        }
        #expect(error?.message == "127.0.0.1:\(port) cannot be bound: the address is already in use.")
    }

    @Test func requestsFollowEachOtherOnOneConnection() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        let bodies = try await RawClient.blocking {
            let connection = try RawConnection(port: port)
            // Two at once, then one after the other.
            connection.write(
                RawClient.text("POST", "/echo", body: "a") + RawClient.text("POST", "/echo", body: "b"))
            var bodies = [connection.response().text, connection.response().text]
            for body in ["c", "d"] {
                connection.write(RawClient.text("PUT", "/echo", body: body))
                bodies.append(connection.response().text)
            }
            return bodies
        }
        #expect(bodies == ["a", "b", "c", "d"])
        #expect(gateway.statistics.connectionsOpened == 1)
        #expect(Set(gateway.journal.map(\.connection)) == [1])
        gateway.shutdown()
    }

    @Test func aHeadIsAnsweredLikeAGetWithoutContent() async throws {
        let gateway = try EmbeddedGateway.start()
        let response = try await gateway.send("HEAD", "/bytes/1234")
        #expect(response.status == 200)
        #expect(response.contentLength == 1234)
        #expect(response.body.isEmpty)
        gateway.shutdown()
    }

    @Test(arguments: [0, 1, 1000, 100_000, 5_000_000]) func contentComesWhole(count: Int) async throws {
        let gateway = try EmbeddedGateway.start()
        let response = try await gateway.send("GET", "/bytes/\(count)")
        #expect(response.isComplete)
        #expect(response.body.count == count)
        let echo = try await gateway.send("POST", "/echo", body: String(repeating: "x", count: count))
        #expect(echo.body.count == count)
        gateway.shutdown()
    }

    @Test func contentBeyondTheLimitIsRefused() async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.maximumRequestBytes = 1000
        let gateway = try EmbeddedGateway.start(configuration)
        #expect(
            try await gateway.send("POST", "/echo", body: String(repeating: "x", count: 1000)).status == 200)
        #expect(
            try await gateway.send("POST", "/echo", body: String(repeating: "x", count: 1001)).status == 413)
        gateway.shutdown()
    }

    @Test func routesMatchMethodsAndPaths() async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.route(.get, "/shelves/{shelf}/books/{book}") { request in
            .text("\(request.parameters["shelf"] ?? "-") \(request.parameters["book"] ?? "-")")
        }
        gateway.route(nil, "/any") { request in .text(request.method.rawValue) }
        gateway.route(.get, "/query") { request in .text(request.query("a").joined(separator: "|")) }
        #expect(try await gateway.send("GET", "/shelves/7/books/a%20b").text == "7 a b")
        #expect(try await gateway.send("GET", "/shelves/7/books").status == 404)
        #expect(try await gateway.send("PROPFIND", "/any").text == "PROPFIND")
        #expect(try await gateway.send("GET", "/query?a=1&b=2&a=x%26+y").text == "1|x& y")
        #expect(try await gateway.send("GET", "/status/418").status == 418)
        let refused = try await gateway.send("DELETE", "/shelves/7/books/8")
        #expect(refused.status == 405)
        #expect(refused.fields["allow"] == "GET")
        gateway.route(nil, "/any") { _ in .text("replaced") }
        #expect(try await gateway.send("GET", "/any").text == "replaced")
        gateway.shutdown()
    }

    @Test func aRouteMayTakeItsTime() async throws {
        let gateway = try EmbeddedGateway.start()
        let gate = Gate()
        gateway.route(.get, "/slow") { _ in
            await gate.pass()
            return .text("at last")
        }
        async let slow = gateway.send("GET", "/slow")
        await gate.waitForArrivals(1)
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        gate.open()
        #expect(try await slow.text == "at last")
        gateway.shutdown()
    }

    @Test func requestIDsAreEchoedOrMade() async throws {
        let gateway = try EmbeddedGateway.start()
        let echoed = try await gateway.send("GET", "/v1/health", ["X-Request-ID": "abc-1"])
        #expect(echoed.fields["x-request-id"] == "abc-1")
        let made = try await gateway.send("GET", "/v1/health")
        #expect(made.fields["x-request-id"]?.count == 16)
        #expect(gateway.journal.map(\.requestID) == ["abc-1", made.fields["x-request-id"]])
        gateway.shutdown()
    }

    @Test func aRouteThatStopsTheGatewayDoesNotHang() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        gateway.route(.get, "/stop") { _ in
            gateway.shutdown()
            return .text("stopped")
        }
        _ = try await gateway.send("GET", "/stop")
        gateway.shutdown()
        await #expect(throws: RawConnection.Failure.refused) {
            try await RawClient.send(port: port, "GET", "/v1/health")
        }
    }

    @Test func malformedRequestsAreRefused() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        for text in [
            "GET / HTTP/9.9\r\n\r\n", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\r\n",
        ] {
            let status = try await RawClient.blocking {
                let connection = try RawConnection(port: port)
                connection.write(text)
                return connection.response().status
            }
            #expect(status >= 400)
        }
        gateway.shutdown()
    }

    @Test func whoeverLeavesInTheMiddleHarmsNobody() async throws {
        let gateway = try EmbeddedGateway.start()
        let port = gateway.origin.port
        for text in [
            "", "\r\n\r\n", "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET /echo HTTP/1.1\r\nHost",
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
            "GET /bytes/50000000 HTTP/1.1\r\nHost: a\r\n\r\n",
        ] {
            try await RawClient.blocking { try RawConnection(port: port).write(text) }
        }
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        gateway.shutdown()
        #expect(gateway.statistics.connectionsOpen == 0)
    }
}
