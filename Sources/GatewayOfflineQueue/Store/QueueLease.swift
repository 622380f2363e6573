public import GatewayCore

/// Identifies an engine that sends entries. It is random and not reused.
public struct QueueOwner: Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// Creates an identifier.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// An entry that is leased to an owner for one attempt. Only this owner can finish the attempt.
public struct QueueLease: Hashable, Sendable {
    /// The entry.
    public let id: QueueEntry.ID
    /// The owner that makes the attempt.
    public let owner: QueueOwner
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The item to send.
    public let item: QueueItem
    /// When it expires: later than in the item if it was retried, or stored while the clock was behind.
    public let expires: QueueTime
    /// When the first attempt that the server may have received began; this attempt if there was none.
    public let firstSent: QueueTime
    /// Whether the server may have received an earlier attempt.
    public let wasSentBefore: Bool
}

/// Selects the entries to lease.
public struct QueueLeaseRequest: Sendable {
    /// The maximum number of entries.
    public var count: Int
    /// The owner that makes the attempts.
    public var owner: QueueOwner
    /// The current wall-clock time.
    public var now: QueueTime
    /// Accounts whose entries are not leased, for example because their credential is not available.
    public var skippedAccounts: Set<QueueAccount> = []
    /// Origins whose entries are not leased, for example because they cannot be reached.
    public var skippedOrigins: Set<Origin> = []
    /// Entries that are not leased, for example because other entries of their origin have precedence. They hold back
    /// later entries of their ordering key.
    public var skippedEntries: Set<QueueEntry.ID> = []
    /// Whether the newest entries of a priority are leased first. Then entries do not age.
    public var isNewestFirst = false
    /// The time after which the priority of a waiting entry rises by one; `nil` if entries do not age.
    public var ageing: Duration?

    /// Creates a request.
    public init(count: Int, owner: QueueOwner, now: QueueTime) {
        self.count = count
        self.owner = owner
        self.now = now
    }
}

/// The end of an attempt.
public struct QueueCompletion: Sendable {
    /// The effect of the attempt on its entry.
    @nonexhaustive
    public enum Result: Hashable, Sendable {
        /// The server has accepted it.
        case done
        /// It is sent again at this time.
        case postponed(until: QueueTime)
        /// It is sent again as soon as possible, for example because the engine stops.
        case released
        /// The account must sign in again. An entry without an account becomes poison.
        case parked
        /// It cannot succeed.
        case poison
    }

    /// The attempt.
    public var lease: QueueLease
    /// The effect of the attempt on its entry.
    public var result: Result
    /// Whether the server may have processed this attempt. `false` only if it certainly has not.
    public var mayHaveBeenSent: Bool
    /// Whether sending has begun. If not, nothing was sent, and the attempt is not counted: the next one gets its
    /// number.
    public var wasBegun = true
    /// A status or the code of an error.
    public var reason: String?

    /// Creates a completion.
    public init(_ lease: QueueLease, _ result: Result, mayHaveBeenSent: Bool = true, reason: String? = nil) {
        self.lease = lease
        self.result = result
        self.mayHaveBeenSent = mayHaveBeenSent
        self.reason = reason
    }

    /// Creates the completion of an attempt whose sending has not begun.
    public init(notBegun lease: QueueLease, _ result: Result, reason: String? = nil) {
        self.init(lease, result, mayHaveBeenSent: false, reason: reason)
        wasBegun = false
    }
}

/// The result of a lease. Callers that wait for an ambiguous, damaged or unreadable entry are notified.
public struct QueueLeaseResult: Hashable, Sendable {
    /// The entries that were leased.
    public var leases: [QueueLease]
    /// The entries that became ``QueueEntry/State-swift.struct/ambiguous``, the oldest first.
    public var ambiguous: [QueueEntry.ID]
    /// The entries that became ``QueueEntry/State-swift.struct/poison``, because their stored data is damaged.
    public var damaged: [QueueEntry.ID]
    /// The entries that were postponed because their body temporarily cannot be read.
    public var unreadable: [QueueEntry.ID]
    /// The newest time of the store, if the clock is behind it: entries that may have been sent wait for it.
    public var newest: QueueTime?

    /// Creates a result.
    public init(
        _ leases: [QueueLease] = [], ambiguous: [QueueEntry.ID] = [], damaged: [QueueEntry.ID] = [],
        unreadable: [QueueEntry.ID] = [], newest: QueueTime? = nil
    ) {
        self.leases = leases
        self.ambiguous = ambiguous
        self.damaged = damaged
        self.unreadable = unreadable
        self.newest = newest
    }
}

/// The result of an exchange, which replaces ``QueueStore/finish(_:now:)`` and ``QueueStore/lease(_:)``.
public struct QueueExchange: Sendable {
    /// For each completion, whether it was that owner's attempt and still in progress.
    public var ended: [Bool]
    /// What the lease did.
    public var leased: QueueLeaseResult

    /// Creates a result.
    public init(ended: [Bool], leased: QueueLeaseResult) {
        self.ended = ended
        self.leased = leased
    }
}
