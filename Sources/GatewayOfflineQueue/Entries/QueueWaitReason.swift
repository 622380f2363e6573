import GatewayCore

/// Why an entry is currently not sent.
@nonexhaustive
public enum QueueWaitReason: Hashable, Sendable {
    /// Nothing is sent.
    case held(QueueStatus.Hold)
    /// Other entries are sent first.
    case turn
    /// An attempt is in progress.
    case sending
    /// It is sent again after its backoff.
    case backoff(until: QueueTime)
    /// The file of its body is temporarily unreadable, for example for lack of file descriptors; it is read
    /// again then.
    case unreadable(until: QueueTime)
    /// An earlier entry with the same ordering key comes first.
    case order(behind: QueueEntry.ID)
    /// Its origin is unreachable or limits the rate; nothing is sent to it for this time.
    case origin(for: Duration)
    /// Its account has to sign in.
    case signIn
    /// The clock is behind the newest time of the store by this much, so the age of the entry is unknown.
    case clock(behind: Duration)
    /// The server may have accepted it, and may no longer know its idempotency key: check, then retry or
    /// cancel it.
    case ambiguous
    /// It was rejected: correct the cause and retry it, or cancel it.
    case poison
    /// It has ended.
    case ended(QueueEntry.State)
}

extension QueueWaitReason: CustomStringConvertible {
    /// A sentence for users.
    public var description: String {
        switch self {
        case .held(let hold): "Nothing is sent: \(hold)."
        case .turn: "It waits for its turn."
        case .sending: "It is being sent."
        case .backoff: "It is sent again after a pause."
        case .unreadable: "Its body cannot be read at the moment. It is retried after a pause."
        case .order(let id): "Entry \(id) with the same ordering key comes first."
        case .origin(let duration):
            "Its server gets nothing for \(max(0, duration.wholeSeconds)) s, since it cannot be reached or limits the rate."
        case .signIn: "Its account has to sign in."
        case .clock(let duration):
            "The clock is \(max(1, duration.wholeSeconds)) s behind the newest time of the queue: its age is not known. Correct the clock, or reset the newest time."
        case .ambiguous:
            "The server may have taken it and remembers its key no longer. Check there, then retry or cancel it."
        case .poison: "The server refused it. Correct the cause and retry it, or cancel it."
        case .ended(let state): "It has ended: \(state)."
        }
    }
}
