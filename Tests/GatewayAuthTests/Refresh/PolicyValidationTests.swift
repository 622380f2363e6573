import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

@Suite struct PolicyValidationTests {
    private typealias Change = @Sendable (inout TokenRefreshPolicy) -> Void

    /// An impossible value of each property.
    private static let impossible: [(property: String, change: Change)] = [
        ("mandatoryWindow", { $0.mandatoryWindow = .seconds(-1) }),
        ("mandatoryFraction", { $0.mandatoryFraction = -0.1 }),
        ("mandatoryFraction", { $0.mandatoryFraction = 1 }),
        ("mandatoryFraction", { $0.mandatoryFraction = .nan }),
        ("advisoryWindow", { $0.advisoryWindow = .seconds(Int64.min) }),
        ("advisoryFraction", { $0.advisoryFraction = 1.1 }),
        ("advisoryFraction", { $0.advisoryFraction = .infinity }),
        ("advisoryJitter", { $0.advisoryJitter = .nan }),
        ("advisoryJitter", { $0.advisoryJitter = -1 }), ("timeout", { $0.timeout = .zero }),
        ("timeout", { $0.timeout = .seconds(-1) }),
        ("exchangeTimeout", { $0.exchangeTimeout = .seconds(-1) }),
        ("exchangeTimeout", { $0.exchangeTimeout = .zero }),
        ("initialBackoff", { $0.initialBackoff = .zero }),
        ("initialBackoff", { $0.initialBackoff = .nanoseconds(1) }),
        ("longestBackoff", { $0.longestBackoff = .zero }),
        ("longestBackoff", { $0.longestBackoff = .seconds(-1) }),
        ("longestRetryAfter", { $0.longestRetryAfter = .seconds(-1) }),
        ("outagePatience", { $0.outagePatience = .seconds(-1) }),
        ("lostAnswerWindow", { $0.lostAnswerWindow = .seconds(-1) }),
        ("assumedLifetime", { $0.assumedLifetime = .zero }),
        ("longestLifetime", { $0.longestLifetime = .zero }),
        ("longestLifetime", { $0.longestLifetime = .seconds(-1) }), ("maximumKeys", { $0.maximumKeys = 0 }),
    ]

    /// The policy is refused with the name of its property, and a coordinator that has it requests no token, with a grant
    /// of a sign-in, too.
    @Test(arguments: impossible.indices)
    func anImpossibleValueNamesItsProperty(index: Int) async {
        let (property, change) = Self.impossible[index]
        var policy = TokenRefreshPolicy()
        change(&policy)
        let refused = policy
        let error = #expect(throws: NetworkError.self) { try refused.validate() }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.hasPrefix("Invalid setting '\(property)': ") == true)

        let acquirer = ScriptedAcquirer()
        let clock = ManualClock()
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: policy, clock: clock)
        for isSignedIn in [false, true] {
            if isSignedIn {
                coordinator.signIn(
                    with: TokenGrant(
                        accessToken: Secret("token"), expiresIn: .seconds(3600),
                        refreshToken: Secret("refresh")))
            }
            do throws(NetworkError) {
                _ = try await coordinator.token()
                Issue.record("a token was returned")
            } catch {
                #expect(error.code == .misconfigured && error.message.contains("'\(property)'"))
            }
        }
        #expect(acquirer.count == 0 && clock.requestedDelays.isEmpty)
    }

    @Test func boundsAreValid() throws {
        var policy = TokenRefreshPolicy()
        try policy.validate()
        (policy.mandatoryWindow, policy.advisoryWindow, policy.longestRetryAfter) = (.zero, .zero, .zero)
        (policy.outagePatience, policy.lostAnswerWindow) = (.zero, .zero)
        (policy.mandatoryFraction, policy.advisoryFraction, policy.advisoryJitter) = (0, 0, 0)
        (policy.initialBackoff, policy.longestBackoff, policy.maximumKeys) = (
            .milliseconds(1), .milliseconds(1), 1
        )
        try policy.validate()
        (policy.advisoryFraction, policy.advisoryJitter) = (1, 1)
        (policy.timeout, policy.exchangeTimeout) = (.seconds(Int64.max), .seconds(Int64.max))
        (policy.assumedLifetime, policy.longestLifetime) = (.seconds(Int64.max), .seconds(Int64.max))
        try policy.validate()
    }
}
