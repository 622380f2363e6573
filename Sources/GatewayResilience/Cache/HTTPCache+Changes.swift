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

    /// Removes all stored responses of an account, ``GatewayCore/CredentialIdentity/account``, as after its sign-out.
    ///
    /// When it has returned, the store has no byte of them. Otherwise it is tried again for as long as the cache is used
    /// (``waitUntilRemoved(deadline:)``), and until the store has made the responses unreadable, this process does not use them.
    ///
    /// - Throws: ``CacheStoreError`` if the first attempt has failed, with the code `notErased` if the responses are unreadable
    ///   and bytes of them are left.
    public func removeAll(account: String) async throws(CacheStoreError) {
        try await complete(.owner(.account(account)))
    }

    /// Waits until the store has removed what calls have invalidated, and all responses of signed-out accounts with each of their
    /// bytes: also those of logins that the token stores know to have ended in other processes, for credentials that the cache follows.
    ///
    /// A program that ends after a sign-out calls it, after the coordinator's `waitUntilStored(_:deadline:)`; and one that ends after a
    /// successful call with an unsafe method, since other processes use the older responses of a durable store until then.
    ///
    /// - Parameter deadline: when to stop waiting, on the cache's clock; `nil` for as long as it takes.
    /// - Returns: whether they are removed; `false` if the deadline has passed, the task was cancelled, or a token store cannot be
    ///   read or does not hold a sign-in or sign-out of this process. It is still tried.
    public func waitUntilRemoved(deadline: Deadline? = nil) async -> Bool {
        for keeper in state.withLock({ $0.keepers.compactMap { $0.value } }) {
            guard await keeper.finishEndedLogins(until: deadline) else { return false }
        }
        return await waitUntilConfirmed(deadline: deadline)
    }

    /// Waits until the store has made all changes that calls and sign-outs of this process have asked for.
    ///
    /// - Parameters:
    ///   - removalsOnly: whether only sign-outs are waited for.
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
    /// - Returns: why a first attempt has failed, which is tried again; `nil` if nothing is left.
    package func removeAll(ofEnded accounts: EndedAccounts) async -> CacheStoreError? {
        await attempt(begin(accounts))
    }

    /// Notes the removals in one step, so that a waiting caller does not return between two of them.
    private func begin(_ ended: EndedAccounts) -> [(CacheChange, UInt64)] {
        let changes = ended.names.map { CacheChange.end(of: $0) } + (ended.hasOthers ? [.all] : [])
        return changes.map { begin($0) }
    }

    /// Tries to make changes, all at once, so that they share what takes time.
    private func attempt(_ begun: [(CacheChange, UInt64)]) async -> CacheStoreError? {
        await withTaskGroup(of: CacheStoreError?.self) { group in
            for (change, number) in begun { group.addTask { await self.attempt(change, number) } }
            var first: CacheStoreError?
            for await error in group { first = first ?? error }
            return first
        }
    }

    /// Removes what ended logins have left, in the background; ``waitUntilRemoved(deadline:)`` waits for it from now on.
    func finishEndedLogins(of keeper: any EndedLoginKeeping) {
        state.withLock { state in
            state.keepers.removeAll { $0.value == nil || $0.value === keeper }
            state.keepers.append(Keeper(value: keeper))
        }
        let deadline = Deadline.after(Self.longestWait, clock: patience.clock)
        Task.detached { _ = await keeper.finishEndedLogins(until: deadline) }
    }

    /// Removes all stored responses of accounts, and waits for that.
    ///
    /// - Returns: whether all responses of signed-out accounts are removed at the deadline; it is still tried.
    func removeResponses(of accounts: EndedAccounts, until deadline: Deadline?) async -> Bool {
        let begun = begin(accounts)
        Task.detached { [self] in _ = await attempt(begun) }
        return await waitUntilConfirmed(removalsOnly: true, deadline: deadline)
    }

    private func complete(_ change: CacheChange) async throws(CacheStoreError) {
        let (begun, number) = begin(change)
        if let error = await attempt(begun, number) { throw error }
    }

    /// Notes a change: what it is about is not used in this process until the store has made it.
    func begin(_ change: CacheChange) -> (CacheChange, UInt64) {
        withUnconfirmed { $0.begin(change) }
    }

    /// Makes a change, and waits for it.
    ///
    /// - Parameter limit: how long it is waited for; `nil` for as long as the first attempt takes.
    /// - Returns: why it is not made yet. It is tried again.
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

    /// Tries to make a change.
    ///
    /// - Returns: why it failed. It is tried again.
    func attempt(_ change: CacheChange, _ number: UInt64) async -> CacheStoreError? {
        do throws(CacheStoreError) {
            // Noted once more it would be a change, which keeps others from storing.
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

    /// Tells that a removal was not complete at once. Calls tell of their own changes.
    private func tell(of error: CacheStoreError) {
        let kind = StateEvent.Kind.cacheStoreFailed(error.code.name)
        outlets.record([StateEvent(instant: patience.clock.now, origin: nil, kind: kind)])
    }

    /// Tries to make a change until the store has made it, or the cache is not used any more.
    ///
    /// The pauses are random: processes that have kept each other from a change would do so again after equal ones.
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
