import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Whatever a policy, a grant or a store says, tokens are got and given out, or refused, and nothing traps.
@Suite(.timeLimit(.minutes(2))) struct ExtremePolicyTests {
    private static let durations: [any WritableKeyPath<TokenRefreshPolicy, Duration> & Sendable] = [
        \.mandatoryWindow, \.advisoryWindow, \.timeout, \.exchangeTimeout, \.initialBackoff, \.longestBackoff,
        \.longestRetryAfter, \.outagePatience, \.lostAnswerWindow, \.assumedLifetime, \.longestLifetime,
    ]
    private static let fractions: [any WritableKeyPath<TokenRefreshPolicy, Double> & Sendable] = [
        \.mandatoryFraction, \.advisoryFraction, \.advisoryJitter,
    ]
    private static let key = TokenKey(client: "extreme")

    /// Runs something and moves the clock to the next sleeper for as long as it waits.
    private static func run(_ clock: ManualClock, _ body: @escaping @Sendable () async -> Void) async {
        let isDone = Locked(false)
        let task = Task {
            await body()
            isDone.withLock { $0 = true }
        }
        var moves = 0
        while !isDone.withLock({ $0 }), moves < 1000 {
            for _ in 0..<200 where !isDone.withLock({ $0 }) { await Task.yield() }
            if isDone.withLock({ $0 }) { break }
            clock.advanceToNextSleeper()
            moves += 1
        }
        task.cancel()
        await task.value
    }

    /// Tokens of every lifetime, with failures between them, from a store or not.
    private static func live(_ policy: TokenRefreshPolicy, isStored: Bool) async {
        let clock = ManualClock()
        let lifetimes = ExtremeValues.durations.map { Optional($0) } + [nil, .seconds(3600)]
        let acquirer = ScriptedAcquirer { _, index in
            if index % 3 == 1 {
                throw NetworkError(
                    .tokenUnavailable, "down", retryAfter: lifetimes[index % lifetimes.count])
            }
            return TokenGrant(
                accessToken: Secret("token-\(index)"), expiresIn: lifetimes[index % lifetimes.count],
                refreshToken: Secret("refresh"))
        }
        let coordinator = TokenRefreshCoordinator(
            acquirer: acquirer, store: isStored ? MemoryTokenStore(clock: clock) : nil, policy: policy,
            clock: clock, random: SeededRandomSource(seed: 1))
        await run(clock) {
            for _ in 0..<12 {
                let result = await outcome { () throws(NetworkError) in
                    try await coordinator.token(for: key, deadline: .after(.seconds(1000), clock: clock))
                }
                if let lease = result.value {
                    _ = await outcome { () throws(NetworkError) in
                        try await coordinator.rejected(lease, deadline: .after(.seconds(1000), clock: clock))
                    }
                }
                clock.advance(by: .seconds(40_000))
            }
        }
        // Each call takes a few waits: nothing spins.
        #expect(clock.requestedDelays.count < 2000)
        #expect(acquirer.count < 600)
        if NetworkError.problem(policy.validate) != nil { #expect(acquirer.count == 0) }
    }

    @Test(arguments: 0..<durations.count, [false, true])
    func aPolicyHasAnyDuration(index: Int, isStored: Bool) async {
        for value in ExtremeValues.durations {
            var policy = TokenRefreshPolicy.impatient
            policy[keyPath: Self.durations[index]] = value
            await Self.live(policy, isStored: isStored)
        }
    }

    @Test(arguments: ExtremeValues.durations, [false, true])
    func aPolicyHasOneDurationThroughout(value: Duration, isStored: Bool) async {
        var policy = TokenRefreshPolicy.impatient
        for path in Self.durations { policy[keyPath: path] = value }
        await Self.live(policy, isStored: isStored)
    }

    @Test(arguments: ExtremeValues.doubles)
    func aPolicyHasAnyFraction(value: Double) async {
        for path in Self.fractions {
            for window in ExtremeValues.durations {
                var policy = TokenRefreshPolicy.impatient
                policy[keyPath: path] = value
                (policy.mandatoryWindow, policy.advisoryWindow) = (window, window)
                for lifetime in ExtremeValues.durations.map(\.bounded) where lifetime > .zero {
                    for chance in [0, 0.5, 1.0] {
                        let advisory = policy.advisoryMargin(of: lifetime, chance: chance)
                        #expect(policy.mandatoryMargin(of: lifetime) <= lifetime && advisory <= lifetime)
                        #expect(policy.mandatoryMargin(of: lifetime) >= .zero && advisory >= .zero)
                    }
                }
            }
            var policy = TokenRefreshPolicy.impatient
            policy[keyPath: path] = value
            await Self.live(policy, isStored: true)
        }
    }

    @Test(arguments: ExtremeValues.integers)
    func aPolicyHasAnyNumberOfKeys(count: Int) async throws {
        var policy = TokenRefreshPolicy.impatient
        policy.maximumKeys = count
        let coordinator = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer(), policy: policy, clock: ManualClock())
        guard count >= 1 else {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .misconfigured)
            return
        }
        for client in ["a", "b", "c"] { _ = try await coordinator.token(for: TokenKey(client: client)) }
        #expect(coordinator.keyCount <= count)
    }

    @Test(arguments: ExtremeValues.durations)
    func aRecordHasAnyTimes(issuedAt: Duration) async throws {
        for expiresAt in ExtremeValues.durations.map({ Optional($0) }) + [nil] {
            for unixTime in ExtremeValues.durations {
                let clock = ManualClock(unixTime: unixTime)
                let store = MemoryTokenStore(clock: clock)
                let record = StoredToken(
                    key: Self.key, generation: 1, login: 1,
                    content: .granted(
                        .init(accessToken: Secret("stored"), issuedAt: issuedAt, expiresAt: expiresAt)))
                let read = try StoredToken(record.encoded(), for: Self.key)
                #expect(read.generation == 1)
                #expect(try await store.store(record, for: Self.key, replacing: 0))
                let coordinator = TokenRefreshCoordinator(
                    acquirer: ScriptedAcquirer(), store: store, clock: clock)
                _ = try await coordinator.token(for: Self.key)
            }
        }
    }

    @Test(arguments: ExtremeValues.durations)
    func workIsPostedForAnyTime(duration: Duration) async throws {
        let thread = WorkerThread()
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        thread.post(after: duration) { continuation.yield(true) }
        try await thread.run { () throws(NetworkError) in }
        if duration <= .nanoseconds(1) {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == true)
        }
        continuation.finish()
    }

    @Test(arguments: ExtremeValues.durations)
    func aDeviceIsToldAnyTimes(duration: Duration) {
        let now = ManualClock().now
        for other in ExtremeValues.durations {
            var polling = DevicePolling(lifetime: duration, interval: other, now: now)
            for code in [nil, "slow_down", "authorization_pending", ""] as [String?] {
                let step = polling.next(after: code, retryAfter: other, now: now)
                if case .ask(let instant) = step { #expect(instant > now && instant < polling.end) }
            }
            #expect(polling.interval >= .seconds(1) && polling.interval <= DevicePolling.longestInterval)
        }
    }
}
