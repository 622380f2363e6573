public import GatewayAuth
public import GatewayCore

/// Checks that a ``GatewayAuth/TokenProvider`` meets its requirements.
///
/// ```swift
/// @Test func conforms() async {
///     let failures = await TokenProviderConformance { SessionTokens(login: fakeLogin) }.failures()
///     #expect(failures == [])
/// }
/// ```
/// Failures are returned as values, so the suite works inside and outside of a test run. They contain no tokens and no
/// messages of errors.
public struct TokenProviderConformance: Sendable {
    /// Creates a provider with valid tokens.
    public typealias Make = @Sendable () async throws -> any TokenProvider

    /// How a token of the provider is renewed.
    public enum Renewal: Sendable {
        /// By the provider itself.
        case byProvider
        /// Elsewhere, and the provider notices it. The function renews the token of the provider that was created last.
        case elsewhere(@Sendable () async throws -> Void)
        /// Never: there is only one token.
        case never
    }

    private let make: Make
    private let failing: Make?
    private let renewal: Renewal
    private let secrets: [String]
    private let patience: Duration
    private let clock: any GatewayClock

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - renewal: how a token is renewed.
    ///   - secrets: additional secrets that must not be printed: passwords, session cookies.
    ///   - patience: the maximum duration of a call before it counts as endless. Default: 10 s.
    ///   - clock: the clock for `patience`. It must run by itself.
    ///   - failing: creates a provider that cannot renew its token at the moment, if possible.
    ///   - make: creates a new provider each time.
    public init(
        renewal: Renewal = .byProvider, secrets: [Secret] = [], patience: Duration = .seconds(10),
        clock: any GatewayClock = SystemClock(), failing: Make? = nil, _ make: @escaping Make
    ) {
        self.make = make
        self.failing = failing
        self.renewal = renewal
        self.secrets = secrets.map(\.exposed)
        self.patience = patience
        self.clock = clock
    }

    /// Runs all checks.
    ///
    /// - Returns: the failures, each with the name of its check; empty if there are none.
    public func failures() async -> [String] {
        var checks: [(String, @Sendable (any TokenProvider, inout Findings) async throws -> Void)] = [
            ("current token", currentToken), ("concurrent calls", concurrentCalls),
            ("coordinator", coordinator),
        ]
        switch renewal {
        case .byProvider:
            checks += [("new token", newToken), ("current after renewal", currentAfterRenewal)]
        case .elsewhere: checks.append(("token from elsewhere", tokenFromElsewhere))
        case .never: checks.append(("fixed token", fixedToken))
        }
        checks += [("cancelled", cancelled), ("no secrets", noSecrets)]
        return await ConformanceFindings.failures(
            checks.map { [make] (name, check) in (name, { try await check(try await make(), &$0) }) })
    }

    /// Whether the provider itself renews tokens.
    private var renews: Bool {
        if case .byProvider = renewal { true } else { false }
    }

    private struct NeverEnds: Error {}

    /// Makes a call that may be endless.
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let result = await Trial(body).result(within: patience, clock: clock) else {
            throw NeverEnds()
        }
        return try result.get()
    }

    // MARK: Tokens

    /// `currentToken()` has no side effects, because it is called first and often.
    private func currentToken(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        let first = try await call { try await provider.currentToken() }
        let second = try await call { try await provider.currentToken() }
        found.expect(first.map(ConformanceFindings.isToken) ?? true, "it is no token (RFC 6750 §2.1)")
        found.expect(first == second, "asking for it makes another")
        found.expect(renews || first != nil, "a token that it does not get itself is not there")
    }

    private func newToken(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        let current = try await call { try await provider.currentToken() }
        let first = try await call { try await provider.refreshToken() }
        let second = try await call { try await provider.refreshToken() }
        found.expect(
            [first, second].allSatisfy(ConformanceFindings.isToken), "it is no token (RFC 6750 §2.1)")
        found.expect(first != current && second != first, "the token that no longer serves comes again")
    }

    private func currentAfterRenewal(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        _ = try await call { try await provider.currentToken() }
        let renewed = try await call { try await provider.refreshToken() }
        let current = try await call { try await provider.currentToken() }
        found.expect(current == nil || current == renewed, "it is still the one before")
    }

    /// Without renewal the error is permanent, so that the provider is not called again.
    private func fixedToken(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        do {
            _ = try await call { try await provider.refreshToken() }
            found.add("it has another token")
        } catch {
            found.expect(
                ConformanceFindings.isPermanent(error),
                "that there is no other counts as passing: \(ConformanceFindings.name(error))")
        }
    }

    /// If the token is not renewed yet, the error is transient, so no sign-in is required.
    private func tokenFromElsewhere(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        guard case .elsewhere(let renew) = renewal else { return }
        let first = try await call { try await provider.currentToken() }
        do {
            _ = try await call { try await provider.refreshToken() }
            found.add("it has another token by itself")
        } catch {
            found.expect(
                !ConformanceFindings.isPermanent(error),
                "that there is no other yet counts as an end for good: \(ConformanceFindings.name(error))")
        }
        try await call(renew)
        let second = try await call { try await provider.currentToken() }
        found.expect(second.map(ConformanceFindings.isToken) == true, "the next is no token")
        found.expect(first != second, "the next one is not seen")
    }

    // MARK: Calls

    /// A provider can be shared by several keys, engines and tasks.
    private func concurrentCalls(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        let calls = (0..<16).map { index in
            Trial<String?> {
                index.isMultiple(of: 2)
                    ? try await provider.currentToken() : try await provider.refreshToken()
            }
        }
        for call in calls {
            switch await call.result(within: patience, clock: clock) {
            case nil: found.add("a call never ends")
            case .success(let token):
                found.expect(token.map(ConformanceFindings.isToken) ?? true, "one gets no token")
            case .failure(let error):
                found.expect(!renews, "one fails with \(ConformanceFindings.name(error))")
            }
        }
    }

    /// A cancelled refresh does not affect later calls.
    private func cancelled(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        // One call is cancelled before it starts, one at some time after.
        let early = Trial(isCancelled: true) { try await provider.refreshToken() }
        await judge(early, &found)
        let late = Trial { try await provider.refreshToken() }
        late.cancel()
        await judge(late, &found)
        guard renews else { return }
        do {
            let token = try await call { try await provider.refreshToken() }
            found.expect(ConformanceFindings.isToken(token), "the next call gets no token")
        } catch {
            found.add("the next call fails with \(ConformanceFindings.name(error))")
        }
    }

    private func judge(_ cancelled: Trial<String>, _ found: inout Findings) async {
        switch await cancelled.result(within: patience, clock: clock) {
        case nil: found.add("a cancelled call never ends")
        case .failure(let error) where renews:
            found.expect(
                !ConformanceFindings.isPermanent(error),
                "a cancellation counts as an end for good: \(ConformanceFindings.name(error))")
        case .success, .failure: break
        }
    }

    /// With a coordinator the current token is used first, and a token that was renewed elsewhere is adopted.
    private func coordinator(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        let coordinator = TokenRefreshCoordinator(provider: provider)
        let (current, lease) = try await call {
            (try await provider.currentToken(), try await coordinator.token())
        }
        found.expect(
            current == nil || lease.accessToken.exposed == current, "the current token is not used")
        switch renewal {
        case .byProvider: break
        case .elsewhere(let renew):
            try await call(renew)
            let current = try await call { try await provider.currentToken() }
            let next = try await call { try await coordinator.rejected(lease) }
            found.expect(
                next.accessToken.exposed == current && next.accessToken != lease.accessToken,
                "a token that was renewed elsewhere is not adopted")
            return
        case .never:
            do {
                _ = try await call { try await coordinator.rejected(lease) }
                found.add("a rejected token is followed by another")
            } catch {
                found.expect(
                    ConformanceFindings.isPermanent(error),
                    "a rejected token fails in passing: \(ConformanceFindings.name(error))")
            }
            return
        }
        let elsewhere = try await call { try await provider.refreshToken() }
        let isTold = try await call { try await provider.currentToken() } != nil
        let next = try await call { try await coordinator.rejected(lease) }
        found.expect(next.accessToken != lease.accessToken, "a rejected token is used again")
        found.expect(
            !isTold || next.accessToken.exposed == elsewhere,
            "a token that was renewed elsewhere is not adopted")
    }

    // MARK: Secrecy

    private func noSecrets(_ provider: any TokenProvider, _ found: inout Findings) async throws {
        for (provider, isFailing) in try await [(provider, !renews)] + failingProviders() {
            var secrets = secrets
            if let token = try? await call({ try await provider.currentToken() }) { secrets.append(token) }
            do {
                secrets.append(try await call { try await provider.refreshToken() })
                found.expect(!isFailing, "a renewal that must fail succeeds")
            } catch {
                found.addLeaks(
                    of: secrets, in: ConformanceFindings.printed(error), from: "an error")
            }
            found.addLeaks(
                of: secrets, in: ConformanceFindings.printed(provider, dumping: false), from: "the provider")
        }
    }

    private func failingProviders() async throws -> [(any TokenProvider, Bool)] {
        guard let failing else { return [] }
        return [(try await failing(), true)]
    }
}
