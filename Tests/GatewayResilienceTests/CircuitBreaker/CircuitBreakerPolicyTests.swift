import GatewayCore
import GatewayResilience
import Testing

@Suite struct CircuitBreakerPolicyTests {
    @Test func presetsAreAsDocumented() {
        func figures(_ policy: CircuitBreakerPolicy) -> [Int?] {
            [policy.consecutiveFailures, policy.successesToClose, Int(policy.openFor / .seconds(1))]
        }
        #expect(figures(.standard) == [5, 2, 30])
        #expect(figures(.aggressive) == [3, 1, 15])
        #expect(figures(.conservative) == [10, 3, 60])
        #expect(figures(.server) == [20, 3, 5] && CircuitBreakerPolicy.server.probes == 3)
        #expect(CircuitBreakerPolicy.server.failureRate?.minimumCalls == 50)
        #expect(CircuitBreakerPolicy.standard.failureRate?.share == 0.5)
    }

    private typealias Change = @Sendable (inout CircuitBreakerPolicy) -> Void

    private static let impossible: [(String, Change)] = [
        ("consecutiveFailures", { $0.consecutiveFailures = 0 }),
        (
            "consecutiveFailures",
            {
                $0.consecutiveFailures = nil
                $0.failureRate = nil
            }
        ),
        ("failureRate.share", { $0.failureRate?.share = 0 }),
        ("failureRate.share", { $0.failureRate?.share = 1.1 }),
        ("failureRate.share", { $0.failureRate?.share = .nan }),
        ("failureRate.minimumCalls", { $0.failureRate?.minimumCalls = 0 }),
        ("failureRate.window", { $0.failureRate?.window = .milliseconds(9) }),
        ("slowAfter", { $0.slowRate = .init(share: 1, minimumCalls: 1, window: .seconds(1)) }),
        ("slowAfter", { $0.slowAfter = .zero }),
        ("openFor", { $0.openFor = .zero }),
        ("longestOpen", { $0.longestOpen = .seconds(1) }),
        ("probes", { $0.probes = 0 }),
        ("probes", { $0.probes = 1_001 }),
        ("successesToClose", { $0.successesToClose = 0 }),
        ("probeLimit", { $0.probeLimit = .zero }),
    ]

    @Test(arguments: impossible.indices)
    func impossiblePoliciesNameTheProperty(index: Int) throws {
        let (property, change) = Self.impossible[index]
        var policy = CircuitBreakerPolicy.standard
        try policy.validate()
        change(&policy)
        let error = #expect(throws: NetworkError.self) {
            try CircuitBreaker(named: "orders", policy: policy)
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.hasPrefix("Invalid setting 'orders.\(property)': must be ") == true)
    }

    @Test(
        arguments: [
            (200, .success), (304, .success), (400, .success), (404, .success), (500, .success),
            (501, .success),
            (502, .failure), (503, .failure), (504, .failure),
        ] as [(Int, CircuitBreakerPolicy.Verdict)])
    func statusesAreJudged(status: Int, verdict: CircuitBreakerPolicy.Verdict) {
        #expect(CircuitBreakerPolicy.verdict(of: .response(status: status)) == verdict)
        let typed = NetworkError(.unacceptableStatus, "Declined.", status: status)
        #expect(CircuitBreakerPolicy.verdict(of: .failed(typed)) == verdict)
    }

    /// They are about one caller, and say that the server answers.
    @Test func a401AndA429AreSuccesses() {
        for status in [401, 403, 429] {
            #expect(CircuitBreakerPolicy.verdict(of: .response(status: status)) == .success)
        }
    }

    @Test(
        arguments: [
            (.connectionRefused, .failure), (.dnsFailure, .failure), (.noConnection, .failure),
            (.tlsFailure, .failure), (.pinningFailure, .failure), (.proxyFailure, .failure),
            (.connectionLost, .failure), (.truncated, .failure), (.malformedResponse, .failure),
            (.other, .failure), (.responseTooLarge, .success), (.decodingFailed, .success),
            (.cancelled, .ignored), (.bodyFailed, .ignored), (.invalidRequest, .ignored),
            (.misconfigured, .ignored), (.tokenUnavailable, .ignored), (.reauthenticationRequired, .ignored),
        ] as [(NetworkError.Code, CircuitBreakerPolicy.Verdict)])
    func errorsAreJudged(code: NetworkError.Code, verdict: CircuitBreakerPolicy.Verdict) {
        #expect(CircuitBreakerPolicy.verdict(of: .failed(NetworkError(code, "Failed."))) == verdict)
    }

    @Test(arguments: [
        NetworkError.circuitOpen, .overloaded, .closed, .notCached, .refreshSuspended,
    ]) func localRejectionsAreIgnored(code: NetworkError.Code) {
        #expect(CircuitBreakerPolicy.verdict(of: .failed(NetworkError(code, "Refused."))) == .ignored)
        #expect(CircuitBreakerPolicy.verdict(of: .notSent) == .ignored)
    }

    /// A time limit that passes while the server has the request counts, whichever limit it is.
    @Test(arguments: [NetworkError.Phase.attempt, .call, nil])
    func aHangIsAFailure(limit: NetworkError.Phase?) {
        let verdicts: [(NetworkError.Phase, CircuitBreakerPolicy.Verdict)] = [
            (.credential, .ignored), (.queue, .ignored), (.resolve, .failure), (.connect, .failure),
            (.tls, .failure), (.send, .failure), (.produce, .ignored), (.firstByte, .failure),
            (.receive, .failure), (.consume, .ignored),
        ]
        for (phase, verdict) in verdicts {
            let error = NetworkError(.timeout, "Late.", phase: phase, limit: limit)
            #expect(CircuitBreakerPolicy.verdict(of: .failed(error)) == verdict, "\(phase)")
        }
    }
}
