import GatewayCore

/// Removals that the store has not confirmed yet.
struct UnconfirmedChanges {
    private struct Entry {
        /// Distinguishes the last request for the change from earlier ones.
        var number: UInt64
        /// Whether the responses may still be read in the store.
        var isReadable = true
        /// Whether a task retries it.
        var isRetried = false
    }

    /// The maximum number of individual changes. Beyond it everything is removed.
    static let most = 1_024

    private var entries: [CacheChange: Entry] = [:]
    private var last: UInt64 = 0
    /// Waits for the completion of sign-outs.
    private var waiters: SharedFlight<Void>?
    /// Waits for the completion of all changes.
    private var waitersForAll: SharedFlight<Void>?

    /// Whether there are no changes.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether stored responses of a key must not be used.
    func concern(_ key: CacheKey) -> Bool {
        CacheChange.about(key).contains { entries[$0]?.isReadable == true }
    }

    /// Whether responses of an owner, or all, are to be removed.
    var hasRemovals: Bool { entries.keys.contains(where: \.isRemoval) }

    /// Records a change.
    ///
    /// - Returns: the change to make, which may be a larger one, and its number.
    mutating func begin(_ change: CacheChange) -> (CacheChange, UInt64) {
        let change = entries.count >= Self.most && entries[change] == nil ? .all : change
        last += 1
        var entry = entries[change] ?? Entry(number: last)
        entry.number = last
        entry.isReadable = true
        entries[change] = entry
        return (change, last)
    }

    /// The number of a change that is to be retried; `nil` if it was confirmed.
    func number(of change: CacheChange) -> UInt64? { entries[change]?.number }

    /// Whether the store has recorded a change, but bytes of removed responses are left.
    func isNoted(_ change: CacheChange, _ number: UInt64) -> Bool {
        entries[change].map { $0.number == number && !$0.isReadable } ?? false
    }

    /// Records that the store has made a change, unless it was requested again since.
    ///
    /// - Returns: the flights to complete.
    mutating func confirm(_ change: CacheChange, _ number: UInt64) -> [SharedFlight<Void>] {
        if entries[change]?.number == number { entries[change] = nil }
        var flights: [SharedFlight<Void>] = []
        if let flight = waiters, !hasRemovals {
            flights.append(flight)
            waiters = nil
        }
        if let flight = waitersForAll, isEmpty {
            flights.append(flight)
            waitersForAll = nil
        }
        return flights
    }

    /// Records a failed attempt.
    ///
    /// - Parameter isReadable: whether the responses can still be read in the store.
    /// - Returns: whether to start a task that retries.
    mutating func fail(_ change: CacheChange, _ number: UInt64, isReadable: Bool) -> Bool {
        guard let entry = entries[change] else { return false }
        if entry.number == number, !isReadable { entries[change]?.isReadable = false }
        entries[change]?.isRetried = true
        return !entry.isRetried
    }

    /// Joins the flight that ends when all changes are made, or when all sign-outs are complete.
    mutating func wait(
        forAll isForAll: Bool, until deadline: Deadline?, _ clock: any GatewayClock
    ) -> (SharedFlight<Void>, SharedFlight<Void>.WaiterID)? {
        guard isForAll ? !isEmpty : hasRemovals else { return nil }
        let flight = (isForAll ? waitersForAll : waiters) ?? SharedFlight(clock: clock)
        if isForAll { waitersForAll = flight } else { waiters = flight }
        return (flight, flight.join(until: deadline))
    }
}
