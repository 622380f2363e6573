/// The state of a queue, for users and for health checks.
public struct QueueStatus: Hashable, Sendable {
    /// Why nothing is sent at the moment.
    @nonexhaustive
    public enum Hold: Hashable, Sendable {
        /// The queue is not started.
        case stopped
        /// There is no network.
        case offline
        /// The quality of the network is below the configured minimum.
        case poorNetwork
        /// The network has just returned.
        case reconnecting
        /// The store fails, with the name of the error's code. It is tried again after pauses of up to 30 s.
        case storeFailed(String)
        /// The store is no longer readable: the directory of its file was removed, or the file was
        /// overwritten or replaced by something that is not a file. Tickets have failed with the error.
        /// Entries are sent again when the store is readable.
        case fileLost
    }

    /// The number of entries in each state that has any.
    public var counts: [QueueEntry.State: Int]
    /// The number of attempts in progress.
    public var sending: Int
    /// Why nothing is sent; `nil` if entries are sent.
    public var hold: Hold?

    /// Creates a status.
    public init(counts: [QueueEntry.State: Int] = [:], sending: Int = 0, hold: Hold? = nil) {
        self.counts = counts
        self.sending = sending
        self.hold = hold
    }

    /// The number of entries that are to be sent: for a badge.
    public var queued: Int {
        counts.reduce(0) { $1.key.isPending || $1.key == .leased ? $0 + $1.value : $0 }
    }

    /// The number of entries that need a user's action: poison and ambiguous ones, and those whose account must sign
    /// in, which also count as ``queued``.
    public var needingAttention: Int {
        [QueueEntry.State.poison, .ambiguous, .parked].reduce(0) { $0 + counts[$1, default: 0] }
    }
}

extension QueueStatus: CustomStringConvertible {
    /// A line, such as `3 queued, 1 sending, 1 needs attention (offline)`.
    public var description: String {
        var parts = ["\(queued) queued"]
        if sending > 0 { parts.append("\(sending) sending") }
        if needingAttention > 0 { parts.append("\(needingAttention) need attention") }
        return parts.joined(separator: ", ") + (hold.map { " (\($0))" } ?? "")
    }
}

extension QueueStatus.Hold: CustomStringConvertible {
    /// The reason.
    public var description: String {
        switch self {
        case .stopped: "stopped"
        case .offline: "offline"
        case .poorNetwork: "poor network"
        case .reconnecting: "reconnecting"
        case .storeFailed(let code): "store failed: \(code)"
        case .fileLost: "file lost"
        }
    }
}
