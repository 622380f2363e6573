public import GatewayCore

extension AsyncRequestEngine {
    /// The state of the engine now. It sends nothing, and calls do no work for it: the counts are those that the layers
    /// keep for themselves.
    public func health() async -> EngineHealth {
        var health = EngineHealth()
        health.connections = await transport.statistics()
        for part in services.parts.parts {
            if let state = await part.partHealth() { health.parts.append(state) }
        }
        health.isEnding = services.parts.isEnding
        health.calls = reentry.callCount
        health.tokens = TokenHealth.merged(services.parts.keepers.flatMap(\.health))
        health.circuitBreakers = circuitBreakers?.states ?? [:]
        health.rateLimits = rateGate?.limits ?? []
        health.bulkhead = bulkhead?.statistics
        health.retryBudgets = layers.budgets?.states(at: services.clock.now) ?? [:]
        health.hedging = hedgingStatistics
        health.coalesced = layers.followerCount
        health.network = network?.condition
        return health
    }

    /// Adds a part that ends with the engine and is part of its health. An offline queue adds itself.
    ///
    /// The engine keeps the part until ``shutdown(within:)``. After the begin of a shutdown this has no effect.
    public func join(_ part: any EnginePart) { services.parts.join(part, owned: true) }

    /// Gets the tokens that calls need, and opens connections: before the first calls, and in a probe of a service that
    /// gets no calls until it is ready.
    ///
    /// It gets the tokens of the configuration, and those that generated clients have used before. With usable tokens it
    /// sends no token request, and after a failure none before its backoff has passed. A generated client gets its first
    /// tokens by its first call, or by its own `warmUp(within:)`.
    ///
    /// - Parameters:
    ///   - requests: requests whose connections are opened: they are sent at the same time, and any response is
    ///     accepted. Name some that change nothing and cost little.
    ///   - deadline: when to give up; `nil` for the default deadline of calls.
    /// - Throws: the first error of a token or a request. The others are made all the same. A shutdown ends the waits for
    ///   tokens, with the code ``GatewayCore/NetworkError/closed``.
    public func warmUp(_ requests: [HTTPRequest] = [], until deadline: Deadline? = nil)
        async throws(NetworkError)
    {
        guard !services.parts.isEnding else {
            throw NetworkError(.closed, "The engine was shut down before the warm-up began.")
        }
        let clock = services.clock
        let end = deadline ?? self.deadline.map { .after($0, clock: clock) }
        let errors = await withTaskGroup(of: NetworkError?.self) { group in
            for keeper in services.parts.keepers {
                group.addTask { [parts = services.parts] in
                    do throws(NetworkError) {
                        try await parts.waiting("the warm-up waited for a token") {
                            () async throws(NetworkError) in
                            try await keeper.warmUp(until: end)
                        }
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for request in requests {
                let rest = end.map { max(.milliseconds(1), $0.remaining(at: clock.time)) }
                group.addTask { [self] in
                    do throws(NetworkError) {
                        try await send(request, options: CallOptions(deadline: rest)).body.discard()
                    } catch {
                        return error
                    }
                    return nil
                }
            }
            return await group.reduce(into: [NetworkError]()) { if let error = $1 { $0.append(error) } }
        }
        if let error = errors.first { throw error }
    }
}
