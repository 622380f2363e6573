import GatewayCore

/// The operations and paths of an origin that reject fresh tokens although the origin accepts such tokens for other
/// calls. Each has its own circuit, so that other calls still get new tokens. The number is limited.
struct RejectingPaths {
    /// The unit for which rejections are counted.
    enum Key: Hashable {
        /// The ID of the operation.
        case operation(String)
        /// Method and path without query, for a call without operation.
        case path(HTTPMethod, String)

        init(_ request: HTTPRequest, _ context: RequestContext) {
            if let operation = context.operation {
                self = .operation(operation.id)
            } else {
                self = .path(request.method, String(request.path))
            }
        }
    }

    /// The maximum number of entries. When it is reached, rejections are counted for the origin. Why: calls to ever new
    /// paths that reject all tokens must not cost one token each.
    static let maximumCount = 16

    private struct Entry {
        var circuit = RejectionCircuit()
        var lastRejection: ContinuousClock.Instant
    }

    private var entries: [Key: Entry] = [:]

    /// Whether there are no entries.
    var isEmpty: Bool { entries.isEmpty }

    /// The remaining suspension of refreshing; `nil` if there is none.
    func pause(for key: Key, at now: ContinuousClock.Instant) -> Duration? {
        entries[key]?.circuit.pause(at: now)
    }

    /// Counts a repeated call that was rejected with a fresh token.
    ///
    /// - Parameter mayBegin: whether an entry may be added for an unknown key.
    /// - Returns: whether the rejection was counted, and whether the key was known.
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

    /// Whether an entry can be added.
    func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        entries.count { isRemembered($0.value, at: now) } < Self.maximumCount
    }

    /// Ends the circuit of a key, after a repeated call was accepted.
    mutating func end(_ key: Key) { entries[key] = nil }

    /// Removes entries without rejections for longer than the longest suspension.
    private mutating func forget(now: ContinuousClock.Instant) {
        entries = entries.filter { isRemembered($0.value, at: now) }
    }

    private func isRemembered(_ entry: Entry, at now: ContinuousClock.Instant) -> Bool {
        entry.lastRejection.duration(to: now) <= RejectionCircuit.longestPause
            || entry.circuit.pause(at: now) != nil
    }
}
