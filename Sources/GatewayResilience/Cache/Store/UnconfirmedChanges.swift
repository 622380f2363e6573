import GatewayCore

/// Removals that the store has not confirmed yet.
struct UnconfirmedChanges {
    private struct Entry {
        /// Tells the last request for the change from those before.
        var number: UInt64
        /// Whether the responses may still be read in the store.
        var isReadable = true
        /// Whether a task tries again and again.
        var isRetried = false
    }

    /// The number of changes that are kept one by one. Beyond it everything is removed.
    static let most = 1_024

    private var entries: [CacheChange: Entry] = [:]
    private var last: UInt64 = 0
    /// Those who wait until sign-outs are complete.
    private var waiters: SharedFlight<Void>?
    /// Those who wait until all changes are made.
    private var waitersForAll: SharedFlight<Void>?

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether stored responses of a key must not be used.
    func concern(_ key: CacheKey) -> Bool {
        CacheChange.about(key).contains { entries[$0]?.isReadable == true }
    }

    /// Whether responses of an owner, or all, are to be removed.
    var hasRemovals: Bool { entries.keys.contains(where: \.isRemoval) }

    /// Notes a change.
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

    /// The number of a change that is to be tried again; `nil` if it was confirmed.
    func number(of change: CacheChange) -> UInt64? { entries[change]?.number }

    /// Whether the store has noted a change, and bytes of what it has removed are left.
    func isNoted(_ change: CacheChange, _ number: UInt64) -> Bool {
        entries[change].map { $0.number == number && !$0.isReadable } ?? false
    }

    /// Notes that the store has made a change, unless it was asked for once more since.
    ///
    /// - Returns: those who wait no longer.
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

    /// Notes that an attempt has failed.
    ///
    /// - Parameter isReadable: whether the responses can still be read in the store.
    /// - Returns: whether a task has to try again.
    mutating func fail(_ change: CacheChange, _ number: UInt64, isReadable: Bool) -> Bool {
        guard let entry = entries[change] else { return false }
        if entry.number == number, !isReadable { entries[change]?.isReadable = false }
        entries[change]?.isRetried = true
        return !entry.isRetried
    }

    /// Joins those who wait until all changes are made, or until no sign-out is incomplete.
    mutating func wait(
        forAll isForAll: Bool, until deadline: Deadline?, _ clock: any GatewayClock
    ) -> (SharedFlight<Void>, SharedFlight<Void>.WaiterID)? {
        guard isForAll ? !isEmpty : hasRemovals else { return nil }
        let flight = (isForAll ? waitersForAll : waiters) ?? SharedFlight(clock: clock)
        if isForAll { waitersForAll = flight } else { waiters = flight }
        return (flight, flight.join(until: deadline))
    }
}
