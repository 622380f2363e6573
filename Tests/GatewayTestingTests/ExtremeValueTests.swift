import GatewayCore
import GatewayJSON
import Testing

@testable import GatewayTesting

/// Whatever a test or a client says, the test kit goes on.
@Suite(.timeLimit(.minutes(1))) struct ExtremeValueTests {
    @Test(arguments: ExtremeValues.durations)
    func aManualClockTakesAnyTime(duration: Duration) async throws {
        let clock = ManualClock(unixTime: duration)
        clock.setUnixTime(duration)
        for _ in 0..<3 { clock.advance(by: duration) }
        #expect(clock.unixTime == clock.unixTime.bounded)
        let sleep = Task { try await clock.sleep(until: clock.now.adding(duration)) }
        if duration > .zero {
            await clock.waitForSleepers(1)
            clock.advanceToNextSleeper()
        }
        try await sleep.value
        #expect(clock.requestedDelays == [duration.bounded])
    }

    @Test(arguments: ExtremeValues.integers)
    func aNumberComesFromAnyRange(first: Int) {
        let random = SeededRandomSource(seed: 1)
        for last in ExtremeValues.integers where last >= first {
            let number = random.int(in: first..<last)
            #expect(first == last ? number == first : (first..<last).contains(number))
        }
    }

    @Test(arguments: ExtremeValues.integers)
    func faultsTakeAnyCount(count: Int) {
        var plan = FaultPlan()
        let id = plan.add(.drop, scope: .everything, skipping: count, times: count, probability: .nan)
        let other = plan.add(.drop, scope: .everything, skipping: 0, times: count, probability: 1)
        for _ in 0..<3 { _ = plan.decide(matching: [id, other]) { 0.5 } }
        #expect(plan.hits(id) == 0 && plan.hits(other) == min(max(count, 0), 3))
    }

    @Test(arguments: ExtremeValues.durations)
    func faultsTakeAnyLatency(duration: Duration) {
        for other in ExtremeValues.durations where other >= duration {
            var plan = FaultPlan()
            let ids = (0..<3).map { _ in
                plan.add(
                    .latency(duration...other), scope: .everything, skipping: 0, times: nil, probability: 1)
            }
            let latency = plan.decide(matching: ids) { 0.5 }.latency
            #expect(latency == latency.bounded)
        }
        _ = EmbeddedGateway.Fault.status(503, retryAfter: duration)
    }

    @Test(arguments: ExtremeValues.integers)
    func holdsReleaseAnyCount(count: Int) async throws {
        let gateway = try EmbeddedGateway.start()
        let hold = gateway.hold()
        hold.release(count)
        hold.release(count)
        async let response = gateway.send("GET", "/v1/health")
        await hold.waitForArrivals(1)
        #expect(hold.heldCount == (count > 0 ? 0 : 1))
        hold.release(1)
        #expect(try await response.status == 200)
        gateway.shutdown()
    }

    @Test(arguments: ExtremeValues.integers)
    func anAnswerBreaksOffAnywhere(count: Int) async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.inject(.tear(afterBytes: count), times: 1)
        _ = try? await gateway.send("GET", "/v1/health")
        #expect(try await gateway.send("GET", "/v1/health").status == 200)
        gateway.shutdown()
    }

    @Test(arguments: ExtremeValues.durations)
    func tokensLiveForAnyTime(duration: Duration) async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.accessTokenLifetime = duration
        configuration.deviceCodes.lifetime = duration
        configuration.deviceCodes.interval = duration
        configuration.clock = ManualClock()
        let gateway = try EmbeddedGateway.start(configuration)
        #expect(try await gateway.requestToken(["grant_type": "client_credentials"]).status == 200)
        let claims = try gateway.issueAccessToken(lifetime: duration).claims
        #expect((claims.expiresAt > claims.issuedAt) == (duration > .seconds(1)))
        let (id, secret) = (formEncoded(gateway.client.id), formEncoded(gateway.client.secret.exposed))
        let codes = try await RawClient.send(
            port: gateway.tokenOrigin.port, "POST", "/oauth/device_authorization",
            ["Content-Type": "application/x-www-form-urlencoded"],
            body: "client_id=\(id)&client_secret=\(secret)")
        #expect(codes.status == 200)
        gateway.shutdown()
    }

    /// What a client writes into a book is not trusted when it is ordered.
    @Test(arguments: [Int.min, -1, 0, 1_000_000_000, .max])
    func anOrderOfAnyPriceIsAnswered(amount: Int) async throws {
        let gateway = try EmbeddedGateway.start()
        let token = try gateway.issueAccessToken().token
        let book =
            #"{"title":"On Tides","authors":[{"name":"Ada Merz","born":null}],"genre":"science","price":"#
            + #"{"amount":\#(amount),"currency":"EUR"},"isbn":"9781234567897","#
            + #""edition":{"kind":"printed","pages":300}}"#
        let made = try await gateway.send("POST", "/v1/books", token: token, json: book)
        guard let id = made.json["id"]?.string else {
            #expect((400..<500).contains(made.status))
            return gateway.shutdown()
        }
        for quantity in [Int.min, 0, 1, 1_000_000, .max] {
            let line = #"{"bookId":"\#(id)","quantity":\#(quantity)}"#
            let order =
                #"{"lines":[\#(line)],"shipTo":{"name":"a","street":"b","city":"c","postalCode":"d","#
                + #""country":"DE"}}"#
            let answer = try await gateway.send("POST", "/v1/orders", token: token, json: order)
            #expect((200..<500).contains(answer.status))
        }
        gateway.shutdown()
    }
}
