import GatewayCore

/// The content that is not stored yet, and the attempts to store it.
extension TokenSlot {
    typealias Lock = any TokenStoreLock

    struct Unsaved {
        /// Distinguishes this value from its successors.
        let number: UInt64
        let content: StoredToken.Content
        /// The login that begins with it; `nil` for a grant within one.
        let login: UInt64?
        /// For a grant: the record to store, and the generation that it may replace.
        let replaces: (record: StoredToken, generation: UInt64)?
        /// The logins that ended with it, the oldest first. The store may not know all of them.
        let ended: [UInt64]
        /// Whether an attempt to store it has failed.
        var hasFailed = false
        /// Held until it is stored, so that no other process uses the old refresh token, which the store still
        /// contains.
        var lock: Lock?
    }

    // MARK: What is to be stored

    /// Keeps a grant that could not be stored, together with the flight's lock.
    func remember(
        _ record: StoredToken, replacing generation: UInt64, _ flight: Machine.Flight, _ held: HeldLock
    ) {
        let lock = held.take()
        let unwanted = state.withLock { state -> Lock? in
            guard state.machine.epoch == flight.epoch else { return lock }
            state.lastUnsaved += 1
            let before = state.unsaved
            state.unsaved = Unsaved(
                number: state.lastUnsaved, content: record.content, login: before?.login,
                replaces: (record, generation), ended: before?.ended ?? [], lock: lock ?? before?.lock)
            return nil
        }
        letGo(unwanted)
    }

    /// Called when the store contains a record of this slot.
    ///
    /// - Parameter number: the unsaved value that is stored with it; `nil` for all unsaved values of the record's
    ///   login.
    func saved(_ record: StoredToken, number: UInt64? = nil) {
        settle { state in
            // Does not replace a later login that is not stored yet: its responses are not those of the previous login.
            let isCurrent = state.unsaved?.login == nil || state.unsaved?.login == record.login
            if isCurrent, record.generation > state.machine.stored?.generation ?? 0 {
                state.machine.stored?.note(record)
            }
            guard let unsaved = state.unsaved else { return false }
            if let number { return unsaved.number == number }
            return unsaved.login == nil || unsaved.login == record.login
        }
    }

    /// Discards the unsaved value if the closure returns `true`.
    private func settle(_ isSettled: (inout State) -> Bool) {
        let lock = state.withLock { state -> Lock? in
            guard isSettled(&state) else { return nil }
            defer { state.unsaved = nil }
            return state.unsaved?.lock
        }
        letGo(lock)
        noteStored()
    }

    func letGo(_ lock: Lock?) {
        if let lock { Task.detached { await lock.release() } }
    }

    // MARK: Attempts

    /// Stores the unsaved value; retries without a limit. The slot is not retained between attempts: releasing the
    /// coordinator stops the retries.
    ///
    /// - Parameter failure: the error of the first attempt, if one was made.
    func startSaving(after failure: NetworkError? = nil) {
        guard let number = state.withLock({ $0.unsaved?.number }) else { return }
        if let failure {
            noteStoreFailure(failure)
            saveLater(number, after: pause(1, failure))
        } else {
            Task.detached { [self] in
                if let error = await saveOnce() { saveLater(number, after: pause(1, error)) }
            }
        }
    }

    private func saveLater(_ number: UInt64, after first: Duration) {
        let clock = environment.clock
        Task.detached { [weak self] in
            var (wait, failures) = (first, 1)
            while true {
                do { try await clock.sleep(until: clock.now.adding(wait)) } catch { return }
                guard let next = await self?.saveAgain(number, failures: failures) else { return }
                wait = next
                failures += 1
            }
        }
    }

    /// Makes another attempt.
    ///
    /// - Returns: the delay before the next attempt; `nil` if none is needed.
    private func saveAgain(_ number: UInt64, failures: Int) async -> Duration? {
        guard state.withLock({ $0.unsaved?.number }) == number else { return nil }
        guard let error = await saveOnce() else {
            tellOfStore(.storeRecovered)
            return nil
        }
        return pause(failures + 1, error)
    }

    /// Reports a failure to store.
    ///
    /// - Returns: the delay before the next attempt.
    private func pause(_ failures: Int, _ error: NetworkError) -> Duration {
        let wait = environment.policy.backoff(
            failures: failures, retryAfter: error.retryAfter, chance: environment.random.unit())
        tellOfStore(.storeFailed(error.code, retryAfter: wait))
        return wait
    }

    private func tellOfStore(_ kind: TokenEvent.Kind) {
        let (epoch, generation) = state.withLock { ($0.machine.epoch, $0.machine.generation) }
        tell(kind, epoch: epoch, generation: generation)
    }

    /// Makes one attempt to store the unsaved value. Concurrent attempts are safe: each one compares and swaps.
    ///
    /// - Returns: the error; `nil` on success.
    @discardableResult
    func saveOnce() async -> NetworkError? {
        guard let store = environment.store else { return nil }
        do throws(NetworkError) {
            var refused: StoredToken??
            // The store is read before the unsaved value: if the value is replaced in between, the generation is, too.
            while state.withLock({ $0.unsaved != nil }) {
                let found = try await store.load(key)
                // The store still contains the record to replace: it refuses without a conflict.
                if let refused, refused == found { throw .storeRefuses }
                switch attempt(over: found) {
                case .nothing: return nil
                case .isThere(let record, let number): saved(record, number: number)
                case .overtaken(let number): settle { $0.unsaved?.number == number }
                case .store(let record, let number):
                    if try await store.store(record, for: key, replacing: found?.generation ?? 0) {
                        // Before the callers that wait for the end are resumed.
                        tellOfEnd(of: found, by: record)
                        saved(record, number: number)
                        finishEndedLogins(of: record)
                    } else {
                        refused = found
                    }
                }
            }
            return nil
        } catch {
            let failure = Self.failure(error)
            noteStoreFailure(failure)
            return failure
        }
    }

    private enum Attempt {
        case nothing
        case isThere(StoredToken, UInt64)
        /// Another process has refreshed the token: the next flight reads it.
        case overtaken(UInt64)
        case store(StoredToken, UInt64)
    }

    private func attempt(over found: StoredToken?) -> Attempt {
        let keepsEnded = environment.keepsEndedLogins
        return state.withLock { state in
            guard let unsaved = state.unsaved else { return .nothing }
            let isLost = found == nil || found?.content == .lost
            let isOtherLogin = unsaved.login != nil && (unsaved.login != found?.login || isLost)
            if let (record, generation) = unsaved.replaces, !isOtherLogin {
                // The store lost the newer record: this is the newest that is known.
                if isLost { return .store(record.following(found), unsaved.number) }
                if let found, found == record { return .isThere(found, unsaved.number) }
                if generation != found?.generation ?? 0 { return .overtaken(unsaved.number) }
                return .store(record, unsaved.number)
            }
            // A local sign-in or sign-out overwrites any stored record.
            if let found, !isOtherLogin { return .isThere(found, unsaved.number) }
            let generation = StoredToken.generation(
                after: found?.generation ?? 0, state.machine.stored?.generation ?? 0,
                gap: found?.content == .lost ? StoredToken.lossGap : 0)
            let login = unsaved.login ?? 0
            return .store(
                StoredToken(
                    key: key, generation: generation, login: login, content: unsaved.content,
                    endedLogins: state.endedLogins(replacing: found, by: login, isKept: keepsEnded)),
                unsaved.number)
        }
    }
}

extension TokenSlot.State {
    /// Keeps a sign-in or sign-out to be stored.
    ///
    /// - Parameters:
    ///   - content: the content to store; `nil` if it is already stored.
    ///   - login: the login that begins.
    ///   - last: the login that ends; `nil` if it is unknown.
    /// - Returns: a lock that is no longer needed.
    mutating func enter(
        _ content: StoredToken.Content?, login: UInt64, ending last: UInt64?
    ) -> TokenSlot.Lock? {
        guard machine.stored != nil else { return nil }
        let lock = unsaved?.lock
        guard let content else {
            unsaved = nil
            return lock
        }
        var ended = unsaved?.ended ?? []
        if let last, last != 0 { ended.append(last) }
        lastUnsaved += 1
        machine.stored?.login = login
        machine.stored?.lasting = nil
        unsaved = TokenSlot.Unsaved(
            number: lastUnsaved, content: content, login: login, replaces: nil,
            ended: StoredToken.limited(ended), lock: lock)
        return nil
    }
}
