public import GatewayCore

extension AsyncRequestEngine: EnginePart {
    /// Shuts down the engine, and all that ends with it, in this order:
    ///
    /// 1. The parts that make calls (``GatewayCore/EnginePart``), such as an offline queue: the part that joined last
    ///    ends first. The engine still accepts calls.
    /// 2. New calls fail with ``GatewayCore/NetworkError/closed``. Calls in progress may finish within the limit; after
    ///    it they fail with the same code, including those that wait for a token, a retry, a rate limit, a permit or a
    ///    connection. Nothing is sent after that, and all connections of calls are closed.
    /// 3. Tokens and the invalidations of a cache are stored: token requests in progress are waited for, not ended.
    /// 4. The other parts end, such as a network monitor.
    /// 5. The sink of the configuration writes its events (``GatewayCore/RequestEventSink/flush()``): also those of the calls
    ///    and attempts that were ended, and of token requests that the sink observes.
    ///
    /// Each step has the rest of the limit, and is not waited for after it. The last tenth of the limit, at most 1 s, is
    /// kept for the steps after the calls; what is only observed has half of the rest. Further calls of this method end no part
    /// twice.
    ///
    /// A transport that was passed to the engine is not shut down, because other engines may use it. Its
    /// connections stay open. Exchanges in progress after the limit, and waits for its connections, end by
    /// their own limits, or with ``GatewayCore/Transport/shutdown()`` of the transport, which its owner
    /// calls after this.
    ///
    /// - Parameter limit: how long calls in progress may take, including streams; zero ends them immediately.
    public func shutdown(within limit: Duration) async {
        let clock = services.clock
        let deadline = Deadline.after(limit, clock: clock)
        let kept = min(max(limit.bounded, .zero).scaled(by: 0.1), .seconds(1))
        let end = Deadline(deadline.instant.adding(.zero - kept))
        let parts = services.parts.beginEnding()
        await Self.end(parts.filter { !$0.endsAfterCalls }, until: end, clock)
        await reentry.close(until: end)
        reentry.endWaits()
        if ownsTransport {
            await transport.shutdown()
            await waitForEvents(until: deadline, clock)
        }
        await store(until: deadline, clock)
        await waitForTokenRequests(until: deadline, clock)
        await Self.end(parts.filter(\.endsAfterCalls), until: deadline, clock)
        if let events { await clock.wait(until: deadline) { await events.flush() } }
    }

    /// The same as ``shutdown(within:)``, for an engine that has joined another one.
    public func end(until deadline: Deadline) async {
        await shutdown(within: max(.zero, deadline.remaining(at: services.clock.time)))
    }

    private static func end(
        _ parts: [any EnginePart], until deadline: Deadline, _ clock: any GatewayClock
    ) async {
        for part in parts { await clock.wait(until: deadline) { await part.end(until: deadline) } }
    }

    /// Waits until the calls and attempts that the transport has ended have told the sink so.
    private func waitForEvents(until deadline: Deadline, _ clock: any GatewayClock) async {
        guard events != nil else { return }
        let end = deadline.halved(at: clock.now)
        await reentry.attempts.close(until: end)
        await reentry.close(until: end)
    }

    /// Waits until the token requests in progress have told the sink of their end.
    private func waitForTokenRequests(until deadline: Deadline, _ clock: any GatewayClock) async {
        let keepers = services.parts.keepers
        guard events != nil, instrument != nil, !keepers.isEmpty else { return }
        await clock.wait(until: deadline.halved(at: clock.now)) {
            for keeper in keepers { await keeper.waitForRequests() }
        }
    }

    /// Waits until tokens and invalidations are stored.
    private func store(until deadline: Deadline, _ clock: any GatewayClock) async {
        let keepers = services.parts.keepers
        if !keepers.isEmpty {
            await clock.wait(until: deadline) {
                await withTaskGroup(of: Void.self) { group in
                    for keeper in keepers {
                        group.addTask { await keeper.waitUntilAllStored(until: deadline) }
                    }
                }
            }
        }
        if let cache {
            let rest = max(.zero, deadline.remaining(at: clock.time))
            _ = await cache.waitUntilConfirmed(deadline: .after(rest, clock: cache.patience.clock))
        }
    }
}

extension Deadline {
    /// The middle between an instant and the deadline.
    fileprivate func halved(at now: ContinuousClock.Instant) -> Deadline {
        Deadline(now.adding(max(.zero, remaining(at: now)).scaled(by: 0.5)))
    }
}
