public import GatewayCore

// Removing stored responses.
extension HTTPCache {
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)
    private static let longestWait = Duration.seconds(120)

    /// Removes all stored responses.
    ///
    /// - Throws: ``CacheStoreError`` as ``removeAll(account:)`` does.
    public func removeAll() async throws(CacheStoreError) { try await complete(.all) }

    /// Removes all stored responses of an account, ``GatewayCore/CredentialIdentity/account``, as after its
    /// sign-out.
    ///
    /// On success no bytes of them are left in the store. Otherwise the removal is retried for as long as
    /// the cache is used (``waitUntilRemoved(deadline:)``), and this process does not use the responses
    /// until the store has made them unreadable.
    ///
    /// - Throws: ``CacheStoreError`` if the first attempt fails, with the code `notErased` if the responses
    ///   are unreadable but bytes of them are left.
    public func removeAll(account: String) async throws(CacheStoreError) {
        try await complete(.owner(.account(account)))
    }

    /// Waits until the store has removed the responses that calls have invalidated, and all bytes of the
    /// responses of signed-out accounts. This includes logins that, according to the token stores of
    /// followed credentials, have ended in other processes.
    ///
    /// Call it before the program ends: after a sign-out (after the coordinator's
    /// `waitUntilStored(_:deadline:)`), and after a successful call with an unsafe method, because other
    /// processes use the older responses of a durable store until then.
    ///
    /// - Parameter deadline: when to stop waiting, on the cache's clock; `nil` for no deadline.
    /// - Returns: whether they are removed; `false` if the deadline has passed, the task was cancelled, or a
    ///   token store cannot be read or has not stored a sign-in or sign-out of this process. The removals
    ///   are still retried.
    public func waitUntilRemoved(deadline: Deadline? = nil) async -> Bool {
        for keeper in state.withLock({ $0.keepers.compactMap { $0.value } }) {
            guard await keeper.finishEndedLogins(until: deadline) else { return false }
        }
        return await waitUntilConfirmed(deadline: deadline)
    }

    /// Waits until the store has made all changes of calls and sign-outs in this process.
    ///
    /// - Parameters:
    ///   - removalsOnly: whether to wait for sign-outs only.
    ///   - deadline: when to stop waiting, on the cache's clock.
    /// - Returns: whether they are made.
    package func waitUntilConfirmed(removalsOnly: Bool = false, deadline: Deadline?) async -> Bool {
        let clock = patience.clock
        let wait = withUnconfirmed { $0.wait(forAll: !removalsOnly, until: deadline, clock) }
        guard let (flight, waiter) = wait
        else { return true }
        if case .value = await flight.outcome(of: waiter) { return true }
        return false
    }

    /// Removes all stored responses of logins that have ended.
    ///
    /// - Returns: the error of a failed first attempt, which is retried; `nil` if all are removed.
    package func removeAll(ofEnded accounts: EndedAccounts) async -> CacheStoreError? {
        await attempt(begin(accounts))
    }

    /// Records the removals in one step, so that a waiting caller does not return between two of them.
    private func begin(_ ended: EndedAccounts) -> [(CacheChange, UInt64)] {
        let changes = ended.names.map { CacheChange.end(of: $0) } + (ended.hasOthers ? [.all] : [])
        return changes.map { begin($0) }
    }

    /// Attempts changes concurrently, so that they share expensive steps of the store.
    private func attempt(_ begun: [(CacheChange, UInt64)]) async -> CacheStoreError? {
        await withTaskGroup(of: CacheStoreError?.self) { group in
            for (change, number) in begun { group.addTask { await self.attempt(change, number) } }
            var first: CacheStoreError?
            for await error in group { first = first ?? error }
            return first
        }
    }

    /// Removes the responses of ended logins in the background; ``waitUntilRemoved(deadline:)`` waits for it
    /// from now on.
    func finishEndedLogins(of keeper: any EndedLoginKeeping) {
        state.withLock { state in
            state.keepers.removeAll { $0.value == nil || $0.value === keeper }
            state.keepers.append(Keeper(value: keeper))
        }
        let deadline = Deadline.after(Self.longestWait, clock: patience.clock)
        Task.detached { _ = await keeper.finishEndedLogins(until: deadline) }
    }

    /// Removes all stored responses of accounts, and waits for it.
    ///
    /// - Returns: whether all responses of signed-out accounts are removed by the deadline; the removal is
    ///   still retried.
    func removeResponses(of accounts: EndedAccounts, until deadline: Deadline?) async -> Bool {
        let begun = begin(accounts)
        Task.detached { [self] in _ = await attempt(begun) }
        return await waitUntilConfirmed(removalsOnly: true, deadline: deadline)
    }

    private func complete(_ change: CacheChange) async throws(CacheStoreError) {
        let (begun, number) = begin(change)
        if let error = await attempt(begun, number) { throw error }
    }

    /// Records a change: the affected responses are not used in this process until the store has made it.
    func begin(_ change: CacheChange) -> (CacheChange, UInt64) {
        withUnconfirmed { $0.begin(change) }
    }

    /// Makes a change, and waits for it.
    ///
    /// - Parameter limit: the maximum wait; `nil` for the duration of the first attempt.
    /// - Returns: why it is not made yet; `nil` on success. It is retried.
    func change(_ change: CacheChange, within limit: Duration?) async -> CacheStoreError? {
        let (begun, number) = begin(change)
        guard memory == nil, let limit else { return await attempt(begun, number) }
        let outcome = await patience.value(within: limit, cancelling: false) { [self] in
            await attempt(begun, number)
        }
        // The attempt may have succeeded: that is `.some(nil)`.
        guard let outcome else { return .timeLimitPassed }
        return outcome
    }

    /// Attempts a change.
    ///
    /// - Returns: why it failed; `nil` on success. It is retried.
    func attempt(_ change: CacheChange, _ number: UInt64) async -> CacheStoreError? {
        do throws(CacheStoreError) {
            // Making it again would be a new change, which prevents others from storing.
            if withUnconfirmed({ $0.isNoted(change, number) }) {
                try await change.complete(in: store)
            } else {
                try await change.apply(to: store)
            }
            for flight in withUnconfirmed({ $0.confirm(change, number) }) { flight.land(()) }
            return nil
        } catch {
            let isReadable = error.code != .notErased
            if withUnconfirmed({ $0.fail(change, number, isReadable: isReadable) }) {
                retry(change)
                if change.isRemoval { tell(of: error) }
            }
            return error
        }
    }

    /// Reports that a removal was not complete immediately. Calls report their own changes.
    private func tell(of error: CacheStoreError) {
        let kind = StateEvent.Kind.cacheStoreFailed(error.code.name)
        outlets.record([StateEvent(instant: patience.clock.now, origin: nil, kind: kind)])
    }

    /// Retries a change until the store has made it, or the cache is released.
    ///
    /// The delays are random: processes whose changes conflict would conflict again after equal delays.
    private func retry(_ change: CacheChange) {
        let (clock, random) = (patience.clock, random)
        Task.detached { [weak self] in
            var longest = Self.firstPause
            while true {
                let pause = longest * (0.5 + random.unit() / 2)
                do { try await clock.sleep(until: clock.now.adding(pause)) } catch { return }
                guard let cache = self, await cache.isStillUnconfirmed(change) else { return }
                longest = min(longest * 2, Self.longestPause)
            }
        }
    }

    private func isStillUnconfirmed(_ change: CacheChange) async -> Bool {
        guard let number = withUnconfirmed({ $0.number(of: change) }) else { return false }
        _ = await attempt(change, number)
        return withUnconfirmed { $0.number(of: change) != nil }
    }
}

extension CacheStoreError {
    static var timeLimitPassed: CacheStoreError {
        CacheStoreError(.timedOut, "The store took longer than the limit of the policy.")
    }
}
