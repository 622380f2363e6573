import GatewayCore
import Testing

@Suite struct TokenHealthTests {
    private func health(
        _ label: String, usable: Bool = false, permanent: Bool = false, validFor: Duration? = nil,
        isForSubjects: Bool = false
    ) -> TokenHealth {
        var health = TokenHealth(label: label, isForSubjects: isForSubjects)
        health.credentials = 1
        health.usable = usable ? 1 : 0
        health.validFor = validFor
        if !usable {
            health.failed = 1
            health.unavailable = permanent ? 1 : 0
            health.failure = .init(
                code: permanent ? .reauthenticationRequired : .tokenUnavailable, isPermanent: permanent,
                retryAfter: permanent ? nil : .seconds(5))
        }
        return health
    }

    @Test func valuesWithTheSameLabelAreOne() {
        let merged = TokenHealth.merged([
            health("b", usable: true, validFor: .seconds(60)), health("a", permanent: true), health("b"),
            health("b", usable: true, validFor: .seconds(30)), health("b", isForSubjects: true),
        ])
        #expect(merged.map(\.label) == ["a", "b", "b"])
        #expect(merged[1].credentials == 3 && merged[1].usable == 2 && merged[1].failed == 1)
        #expect(merged[1].validFor == .seconds(30))
        #expect(merged[1].failure?.code == .tokenUnavailable)
        #expect(merged[2].isForSubjects && merged[2].credentials == 1)
    }

    @Test func aPermanentFailureTakesPrecedence() {
        for all in [
            [health("a"), health("a", permanent: true)], [health("a", permanent: true), health("a")],
        ] {
            #expect(TokenHealth.merged(all).first?.failure?.code == .reauthenticationRequired)
        }
    }

    /// health.readiness
    @Test func onlyAPermanentFailureOfTheServiceItselfIsAnObstacle() {
        #expect(TokenHealth(label: "a").isReady)
        #expect(health("a", usable: true).isReady)
        #expect(health("a").isReady)
        #expect(!health("a", permanent: true).isReady)
        #expect(health("a", permanent: true, isForSubjects: true).isReady)
        // One of two different credentials of the service is not enough.
        #expect(!TokenHealth.merged([health("a", usable: true), health("a", permanent: true)])[0].isReady)
    }
}
