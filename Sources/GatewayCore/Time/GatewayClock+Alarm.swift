extension GatewayClock {
    /// Runs a closure at an instant, in a task of its own, unless that is cancelled before.
    package func alarm(
        at instant: ContinuousClock.Instant, _ ring: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task.detached { [self] in
            do { try await sleep(until: instant) } catch { return }
            await ring()
        }
    }
}
