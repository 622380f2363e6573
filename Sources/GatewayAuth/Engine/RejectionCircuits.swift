import GatewayCore

/// The circuits of credentials at origins, bounded in number: credentials may be one for each user.
struct RejectionCircuits {
    /// What a circuit counts for.
    struct Key: Hashable {
        let credential: String
        let origin: Origin
    }

    private struct Entry {
        var circuit = RejectionCircuit()
        var lastUse: UInt64
    }

    /// No more circuits are kept. A circuit that is forgotten counts anew, which costs a few refreshes.
    static let maximumCount = 1_000

    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    var count: Int { entries.count }

    /// How long refreshing still pauses; `nil` if it does not.
    func pause(of key: Key, at now: ContinuousClock.Instant) -> Duration? {
        entries[key]?.circuit.pause(at: now)
    }

    /// The newest token that a circuit has counted.
    func last(of key: Key) -> RejectionCircuit.Token? { entries[key]?.circuit.last }

    /// Counts a replay with this token that was rejected as well; see ``RejectionCircuit/recordRejection(of:now:)``.
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

    /// A replay was accepted.
    ///
    /// - Returns: the circuit that ends, if there was one.
    mutating func end(_ key: Key) -> RejectionCircuit? { entries.removeValue(forKey: key)?.circuit }

    /// Forgets a quarter: those that pause nothing now, and then those that were used longest ago. A quarter at once, so
    /// that it is not done for each credential.
    private mutating func forget(now: ContinuousClock.Instant) {
        let order = entries.map { key, entry in
            (key: key, isPausing: entry.circuit.pause(at: now) != nil, lastUse: entry.lastUse)
        }.sorted { a, b in
            a.isPausing == b.isPausing ? a.lastUse < b.lastUse : b.isPausing
        }
        for entry in order.prefix(Self.maximumCount / 4) { entries[entry.key] = nil }
    }
}
