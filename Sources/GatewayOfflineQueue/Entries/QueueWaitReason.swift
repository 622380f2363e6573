import GatewayCore

/// Why an entry is not sent at this moment.
@nonexhaustive
public enum QueueWaitReason: Hashable, Sendable {
    /// Nothing is sent.
    case held(QueueStatus.Hold)
    /// Its turn comes when others are sent.
    case turn
    /// An attempt is in progress.
    case sending
    /// It is sent again after its backoff.
    case backoff(until: QueueTime)
    /// The file of its body cannot be read at the moment, for example for lack of file descriptors: it is tried again.
    case unreadable(until: QueueTime)
    /// An earlier entry with the same ordering key comes first.
    case order(behind: QueueEntry.ID)
    /// Its origin cannot be reached, or limits the rate: it gets nothing for so long.
    case origin(for: Duration)
    /// Its account has to sign in.
    case signIn
    /// The clock is behind the newest time that the queue has seen, by so much: how old the entry is, is not known.
    case clock(behind: Duration)
    /// The server may have taken it, and remembers its key no longer: check, and then retry or cancel it.
    case ambiguous
    /// It was refused: correct the cause and retry it, or cancel it.
    case poison
    /// It has ended.
    case ended(QueueEntry.State)
}

extension QueueWaitReason: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .held(let hold): "Nothing is sent: \(hold)."
        case .turn: "It waits for its turn."
        case .sending: "It is being sent."
        case .backoff: "It is sent again after a pause."
        case .unreadable: "Its body cannot be read at the moment. It is tried again after a pause."
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
