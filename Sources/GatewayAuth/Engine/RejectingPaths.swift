import GatewayCore

/// The operations and paths of an origin that reject fresh tokens though the origin accepts such tokens elsewhere, bounded in
/// number. Each has a circuit of its own, so that other calls still get new tokens.
struct RejectingPaths {
    /// What a call is counted under.
    enum Key: Hashable {
        /// The ID of its operation.
        case operation(String)
        /// Its method and its path, without the query, where it has no operation.
        case path(HTTPMethod, String)

        init(_ request: HTTPRequest, _ context: RequestContext) {
            if let operation = context.operation {
                self = .operation(operation.id)
            } else {
                self = .path(request.method, String(request.path))
            }
        }
    }

    /// No more of them are kept. Beyond that, calls count for their origin: those to ever new paths that accept no token must
    /// not cost a token each.
    static let maximumCount = 16

    private struct Entry {
        var circuit = RejectionCircuit()
        var lastRejection: ContinuousClock.Instant
    }

    private var entries: [Key: Entry] = [:]

    /// Whether there are none.
    var isEmpty: Bool { entries.isEmpty }

    /// How long refreshing still pauses; `nil` if it does not.
    func pause(for key: Key, at now: ContinuousClock.Instant) -> Duration? {
        entries[key]?.circuit.pause(at: now)
    }

    /// Counts a call that was sent again with a fresh token, and rejected again.
    ///
    /// - Parameter mayBegin: whether a key that is not known may be counted.
    /// - Returns: whether it was counted, and whether it was known.
    mutating func recordRejection(
        of key: Key, _ token: RejectionCircuit.Token, mayBegin: Bool, now: ContinuousClock.Instant
    ) -> (isCounted: Bool, wasKnown: Bool) {
        forget(now: now)
        let known = entries[key]
        guard known != nil || mayBegin && hasRoom(at: now) else { return (false, false) }
        var entry = known ?? Entry(lastRejection: now)
        _ = entry.circuit.recordRejection(of: token, now: now)
        entry.lastRejection = now
        entries[key] = entry
        return (true, known != nil)
    }

    /// Whether another one can be told from its origin.
    func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        entries.count { isRemembered($0.value, at: now) } < Self.maximumCount
    }

    /// A call was sent again, and accepted.
    mutating func end(_ key: Key) { entries[key] = nil }

    /// Forgets what has rejected no token for as long as the longest pause.
    private mutating func forget(now: ContinuousClock.Instant) {
        entries = entries.filter { isRemembered($0.value, at: now) }
    }

    private func isRemembered(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
        entry.lastRejection.duration(to: now) <= RejectionCircuit.longestPause
            || entry.circuit.pause(at: now) != nil
    }
}
