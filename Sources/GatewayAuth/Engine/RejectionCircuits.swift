import GatewayCore

/// The circuits of credentials at origins. The number is limited, because there can be one credential for each user.
struct RejectionCircuits {
    /// The unit for which a circuit counts.
    struct Key: Hashable {
        let credential: String
        let origin: Origin
    }

    private struct Entry {
        var circuit = RejectionCircuit()
        var lastUse: UInt64
    }

    /// The maximum number of circuits. A circuit that is removed restarts at zero, which costs a few refreshes.
    static let maximumCount = 1_000

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    var count: Int { entries.count }

    /// The remaining suspension; `nil` if there is none.
    func pause(of key: Key, at now: ContinuousClock.Instant) -> Duration? {
        entries[key]?.circuit.pause(at: now)
    }

    /// The newest token that a circuit has counted.
    func last(of key: Key) -> RejectionCircuit.Token? { entries[key]?.circuit.last }

    /// Counts a replay that was rejected with this token; see ``RejectionCircuit/recordRejection(of:now:)``.
    mutating func recordRejection(
        _ key: Key, of token: RejectionCircuit.Token, now: ContinuousClock.Instant
    ) -> Duration? {
        if entries[key] == nil, entries.count >= Self.maximumCount { forget(now: now) }
        uses += 1
        var entry = entries[key] ?? Entry(lastUse: uses)
        entry.lastUse = uses
        let pause = entry.circuit.recordRejection(of: token, now: now)
        entries[key] = entry
        return pause
    }

    /// Ends the circuit of a key, after a replay was accepted.
    ///
    /// - Returns: the removed circuit, if there was one.
    mutating func end(_ key: Key) -> RejectionCircuit? { entries.removeValue(forKey: key)?.circuit }

    /// Removes a quarter of the circuits: first those without a suspension, then the least recently used. Why a
    /// quarter: the cost is then shared by many insertions.
    private mutating func forget(now: ContinuousClock.Instant) {
        let order = entries.map { key, entry in
            (key: key, isPausing: entry.circuit.pause(at: now) != nil, lastUse: entry.lastUse)
        }.sorted { a, b in
            a.isPausing == b.isPausing ? a.lastUse < b.lastUse : b.isPausing
        }
        for entry in order.prefix(Self.maximumCount / 4) { entries[entry.key] = nil }
    }
}
