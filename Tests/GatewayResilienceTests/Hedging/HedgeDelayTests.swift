import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// When a hedge is sent.
extension HedgingEngineTests {
    @Test func aHedgeNeedsEnoughLatencies() async throws {
        let engine = engine(HedgingPolicy(minimumDelay: .milliseconds(1), maximumShare: 1))
        for index in 0..<LatencyEstimator.leastSamples {
            let call = try call(engine)
            #expect(await transport.begun(index + 1))
            #expect(clock.sleeperCount == 0, "no task and no timer before")
            clock.advance(by: .milliseconds(20))
            transport.end(index, status: 200)
            _ = try await call.value
        }
        let call = try call(engine)
        #expect(await transport.begun(51))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(19))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(4))
        #expect(await transport.begun(52))
        transport.end(51, status: 200)
        #expect(try await call.value.exchange.attempts == 2)
        transport.end(50, status: 200)
    }

    @Test func theMinimumDelayIsTheShortest() async throws {
        let engine = engine(HedgingPolicy(minimumDelay: .milliseconds(100), maximumShare: 1))
        for index in 0..<LatencyEstimator.leastSamples {
            let call = try call(engine)
            #expect(await transport.begun(index + 1))
            transport.end(index, status: 200)
            _ = try await call.value
        }
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.milliseconds(100)])
        #expect(await transport.begun(51))
        transport.end(50, status: 200)
        _ = try await call.value
    }
}
