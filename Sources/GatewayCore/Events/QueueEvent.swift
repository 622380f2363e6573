/// Something that happened in an offline queue. Entries are named by their number in the store.
@nonexhaustive
public enum QueueEvent: Hashable, Sendable {
    /// How an attempt ended.
    @nonexhaustive
    public enum Result: String, Hashable, Sendable {
        /// The server took the request.
        case done
        /// It is sent again after a pause.
        case postponed
        /// It was given up, or not made.
        case released
        /// The account has to sign in.
        case parked
        /// The request can never succeed.
        case poison
        /// The entry belonged to another owner meanwhile: nothing was changed.
        case lost
    }

    /// A request is stored and durable.
    case stored(entry: Int64)
    /// A request was not stored: the limits do not allow it.
    case refused
    /// An attempt ended and that is stored, with the status or the name of the error's code, and the time since the entry was
    /// stored.
    case attempted(entry: Int64, attempt: Int, Result, reason: String?, age: Duration)
    /// So many entries have the state of this name now, without an attempt: `expired`, `cancelled`, `superseded`, `dropped`, `waiting`,
    /// `parked`, `ambiguous`, `poison` (what the store has of them is damaged), `postponed` (their bodies cannot be read at the
    /// moment).
    case moved(Int, to: String)
    /// Entries of owners that have ended are sent again.
    case reclaimed(Int)
    /// The number of entries that are to be sent, and of those that only a person can help. Recorded when it has changed.
    case depth(queued: Int, needingAttention: Int)
    /// Nothing is sent any more, for this reason; `nil` when entries are sent again.
    case held(String?)
    /// The store has failed, with the name of the error's code. Recorded once until it works again.
    case storeFailed(String)
    /// The file was damaged: so many entries were carried over to a new one.
    case recovered(Int)
}
