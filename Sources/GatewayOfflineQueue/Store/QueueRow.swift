import GatewayCore
import GatewaySQLite

/// A stored entry with its request.
struct QueueRow {
    var entry: QueueEntry
    var item: QueueItem
    /// When it was stored, by the newest time at that moment: later entries never have an earlier time.
    var stored: QueueTime
    /// When the state changed last, by the wall clock at that moment.
    var changed: QueueTime
    /// The checksum of the body, if the item contains an empty one instead.
    var bodyChecksum: UInt64?
    /// The owner of the attempt in progress, while it is leased.
    var owner: QueueOwner?
    /// The attempt that set ``QueueEntry/firstSent``.
    var firstSentAttempt = 0

    init(id: QueueEntry.ID, item: QueueItem, state: QueueEntry.State, now: QueueTime, stored: QueueTime) {
        entry = QueueEntry(id: id, item: item, state: state)
        self.item = item
        changed = now
        self.stored = stored
    }

    init(
        id: QueueEntry.ID, head: QueueItemHead, state: QueueEntry.State, now: QueueTime, stored: QueueTime
    ) {
        entry = QueueEntry(id: id, item: head.item, state: state, bodyBytes: head.bodyBytes)
        item = head.item
        bodyChecksum = head.bodyChecksum
        changed = now
        self.stored = stored
    }

    /// The end of its repeat window; `nil` if the server has received nothing.
    var repeatEnd: QueueTime? { entry.firstSent?.adding(item.repeatWindow) }

    /// The size that counts towards the limits, in bytes, even if the item has no body.
    var byteCount: Int {
        item.body.isEmpty ? item.byteCount.addingClamped(entry.bodyBytes) : item.byteCount
    }

    /// Whether a postponed entry is due. If the clock was set back, its due time is ignored.
    func isDue(_ now: QueueTime) -> Bool {
        guard let notBefore = entry.notBefore else { return true }
        return notBefore <= now || now < changed
    }

    /// The rank by which an entry is leased: that of its priority, raised with its age.
    static func rank(
        _ priority: CallPriority, stored: QueueTime, at time: QueueTime, ageing: Duration?
    ) -> Int {
        let rank = Int(priority.rank)
        guard let ageing, ageing >= .milliseconds(1) else { return rank }
        let age = max(0, time.milliseconds.subtractingClamped(stored.milliseconds))
        let risen = age / max(1, ageing.wholeMilliseconds)
        return min(Int(CallPriority.critical.rank), rank + Int(min(risen, 3)))
    }

    /// Adds the body.
    ///
    /// - Returns: whether it is the stored body.
    mutating func attach(_ body: [UInt8]) -> Bool {
        let salt = UInt64(bitPattern: entry.id.rawValue)
        guard body.count == entry.bodyBytes, ByteWriter.checksum(of: body, salt: salt) == bodyChecksum else {
            return false
        }
        item.body = body
        return true
    }

    /// Whether another item sends the same request: method, target and body, with or without a credential.
    func sends(_ other: QueueItem) -> Bool {
        guard item.method == other.method, item.hasTarget(of: other), item.isAnonymous == other.isAnonymous,
            entry.bodyBytes == other.body.count
        else { return false }
        guard let bodyChecksum else { return item.body == other.body }
        let salt = UInt64(bitPattern: entry.id.rawValue)
        return ByteWriter.checksum(of: other.body, salt: salt) == bodyChecksum
    }

    mutating func move(to state: QueueEntry.State, now: QueueTime) {
        entry.state = state
        entry.notBefore = nil
        owner = nil
        changed = now
    }

    mutating func rename(_ account: QueueAccount) {
        entry.account = account
        item.account = account
    }

    /// Moves times back that are later than a correct clock can have shown.
    mutating func moveBack(to time: QueueTime, by distance: Duration) {
        let back = Duration.zero - distance
        if entry.state == .postponed, changed > time { entry.notBefore = entry.notBefore?.adding(back) }
        if !entry.state.isFinal {
            if stored > time {
                stored = stored.adding(back)
                entry.expires = entry.expires.adding(back)
            }
            if let first = entry.firstSent, first > time { entry.firstSent = first.adding(back) }
        }
        changed = min(changed, time)
    }

    /// Begins an attempt.
    ///
    /// - Parameter time: now, or the newest time of the store.
    mutating func lease(to owner: QueueOwner, now: QueueTime, time: QueueTime) -> QueueLease {
        move(to: .leased, now: now)
        self.owner = owner
        entry.attempts = entry.attempts.addingClamped(1)
        let firstSent = entry.firstSent
        if firstSent == nil {
            entry.firstSent = time
            firstSentAttempt = entry.attempts
        }
        return QueueLease(
            id: entry.id, owner: owner, attempt: entry.attempts, item: item, expires: entry.expires,
            firstSent: firstSent ?? time, wasSentBefore: firstSent != nil)
    }

    /// The attempt in progress of an owner.
    func currentLease(of owner: QueueOwner) -> QueueLease {
        QueueLease(
            id: entry.id, owner: owner, attempt: entry.attempts, item: item, expires: entry.expires,
            firstSent: entry.firstSent ?? changed, wasSentBefore: firstSentAttempt != entry.attempts)
    }

    /// Ends an attempt.
    ///
    /// - Parameter isParked: whether the account must sign in.
    mutating func finish(_ completion: QueueCompletion, isParked: Bool, now: QueueTime) {
        let wasSent = completion.mayHaveBeenSent && completion.wasBegun
        if !wasSent, firstSentAttempt == completion.lease.attempt { entry.firstSent = nil }
        if !completion.wasBegun { entry.attempts = max(0, entry.attempts - 1) }
        entry.reason = completion.reason
        switch completion.result {
        case .done: move(to: .done, now: now)
        case .postponed(let until):
            move(to: isParked ? .parked : .postponed, now: now)
            if !isParked { entry.notBefore = until }
        case .released: move(to: isParked ? .parked : .waiting, now: now)
        case .parked: move(to: entry.account == nil ? .poison : .parked, now: now)
        case .poison: move(to: .poison, now: now)
        }
    }

    /// Postpones an entry whose body is temporarily unreadable.
    mutating func postponeUnreadable(until time: QueueTime, now: QueueTime) {
        move(to: .postponed, now: now)
        entry.notBefore = time
        entry.reason = QueueEntry.unreadableReason
    }

    /// Whether it may be retried manually: also while it waits for the clock, because its age is unknown.
    func mayBeRetried(now: QueueTime, time: QueueTime) -> Bool {
        switch entry.state {
        case .postponed, .ambiguous, .poison: true
        case .waiting: entry.waitsForClock(time, now: now)
        default: false
        }
    }

    /// Makes it wait to be sent again.
    mutating func retry(isParked: Bool, now: QueueTime, time: QueueTime) {
        if entry.state != .postponed {
            entry.firstSent = nil
            let life = item.expires.since(item.created)
            entry.expires = max(entry.expires, time.adding(life))
        }
        move(to: isParked ? .parked : .waiting, now: now)
    }
}
