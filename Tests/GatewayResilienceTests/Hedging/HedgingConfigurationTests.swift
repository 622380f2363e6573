import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Which policies are possible, and what an engine keeps.
extension HedgingEngineTests {
    @Test func withoutAPolicyNothingIsHedged() async throws {
        let engine = engine(nil)
        let call = try call(engine)
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0 && engine.hedgingStatistics == nil)
        transport.end(0, status: 200)
        _ = try await call.value
        #expect(AsyncRequestEngine.Configuration().protection.hedging == nil)
    }

    @Test(arguments: [
        (HedgingPolicy(percentile: 0.4), "percentile"), (HedgingPolicy(percentile: .nan), "percentile"),
        (HedgingPolicy(percentile: 1), "percentile"),
        (HedgingPolicy(minimumDelay: .zero), "minimumDelay"),
        (HedgingPolicy(fixedDelay: .zero), "fixedDelay"),
        (HedgingPolicy(maximumShare: 0), "maximumShare"),
        (HedgingPolicy(maximumShare: 1.1), "maximumShare"),
        (HedgingPolicy(maximumShare: .nan), "maximumShare"),
    ])
    func impossiblePoliciesNameTheProperty(policy: HedgingPolicy, property: String) async throws {
        let error = #expect(throws: NetworkError.self) { try policy.validate() }
        #expect(error?.code == .misconfigured && error?.message.contains(property) == true)
        let call = try call(engine(policy))
        let failure = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(failure?.message.contains("protection.hedging.\(property)") == true)
        try HedgingPolicy.standard.validate()
    }

    @Test func theNumberOfOperationsIsBounded() throws {
        let hedging = Hedging(.standard, clock: clock)
        let response = HTTPResponse(status: 200, exchange: Exchange(origin: origin))
        for index in 0..<3_000 {
            let context = RequestContext(operation: Operation("operation \(index)"))
            let candidate = try #require(hedging.begin(try HTTPRequest(.get, "http://h/x"), context))
            hedging.record(response, to: candidate)
            #expect(hedging.keyCount <= Hedging.capacity)
        }
        #expect(hedging.keyCount > Hedging.capacity / 2)
    }
}
