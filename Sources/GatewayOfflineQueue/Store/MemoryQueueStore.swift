public import GatewayCore

/// Stores entries in memory: for tests, and for queues that need not outlive the process. It is the reference
/// implementation of ``QueueStore``.
public final class MemoryQueueStore: QueueStore {
    /// In the order of their identifiers, which only grow.
    private var rows: [QueueRow] = []
    private var parked: Set<QueueAccount> = []
    private var newest = QueueTime(milliseconds: .min)
    private var lastID: Int64 = 0
    private let living = MemoryQueueOwners()

    /// Creates an empty store.
    public init() {}

    /// Creates an empty store whose entry numbers begin after a given one.
    package init(after id: QueueEntry.ID) { lastID = id.rawValue }

    private func index(of id: QueueEntry.ID) -> Int? {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].entry.id < id { low = middle + 1 } else { high = middle }
        }
        return low < rows.count && rows[low].entry.id == id ? low : nil
    }

    private func row(_ id: QueueEntry.ID) -> QueueRow? { index(of: id).map { rows[$0] } }

    private func save(_ row: QueueRow) {
        if let index = index(of: row.entry.id) { rows[index] = row }
    }

    /// Notes a time.
    ///
    /// - Returns: whether the clock is behind the newest time.
    @discardableResult
    private func note(_ now: QueueTime) -> Bool {
        defer { newest = max(newest, now) }
        return now < newest
    }

    private func isParked(_ account: QueueAccount?) -> Bool { account.map(parked.contains) ?? false }

    private func change(
        where isMeant: (QueueRow) -> Bool, _ body: (inout QueueRow) -> Void
    ) -> [QueueEntry.ID] {
        var ids: [QueueEntry.ID] = []
        for index in rows.indices where isMeant(rows[index]) {
            body(&rows[index])
            ids.append(rows[index].entry.id)
        }
        return ids
    }

    // MARK: Owners

    /// Registers an engine.
    public func join(_ random: any RandomSource) -> any QueueOwnership { living.join(random) }

    /// Zero: no other store shares the entries.
    public func foreignVersion() -> Int64 { 0 }

    // MARK: Adding

    /// Adds entries.
    public func insert(
        _ items: [QueueItem], limits: QueueLimits, now: QueueTime
    ) -> [QueueInsertion] {
        note(now)
        return items.map { insert($0, limits, now) }
    }

    private func insert(_ item: QueueItem, _ limits: QueueLimits, _ now: QueueTime) -> QueueInsertion {
        let same = rows.filter { $0.entry.account == item.account }
        if let other = same.last(where: {
            $0.item.idempotencyKey == item.idempotencyKey && $0.entry.origin == item.origin
                && ($0.entry.state.isActive || $0.entry.state == .done)
        }) {
            return other.sends(item) ? .duplicate(other.entry.id) : .conflict(other.entry.id)
        }
        var superseded: [QueueEntry.ID] = []
        if let key = item.deduplicationKey {
            let others = same.filter { $0.item.deduplicationKey == key && $0.entry.state.isActive }
            if item.supersedes {
                superseded = others.filter(\.entry.state.isPending).map(\.entry.id)
            } else if let other = others.last(where: { $0.entry.state != .leased }) {
                return .duplicate(other.entry.id)
            }
        }
        guard let dropped = dropped(for: item, superseded, limits) else { return .full }
        for (ids, state) in [(superseded, QueueEntry.State.superseded), (dropped, .dropped)] {
            for place in ids.compactMap(index(of:)) { rows[place].move(to: state, now: now) }
        }
        lastID += 1
        let id = QueueEntry.ID(lastID)
        var row = QueueRow(
            id: id, item: item, state: isParked(item.account) ? .parked : .waiting, now: now,
            stored: newest)
        row.entry.expires = item.expiry(storedAt: now, newest: newest)
        rows.append(row)
        return .stored(id, superseded: superseded, dropped: dropped)
    }

    /// The entries to drop for a new one; `nil` if the new one is refused.
    private func dropped(
        for item: QueueItem, _ superseded: [QueueEntry.ID], _ limits: QueueLimits
    ) -> [QueueEntry.ID]? {
        let active = rows.filter { $0.entry.state.isActive && !superseded.contains($0.entry.id) }
        var room = QueueRoom(limits, count: active.count, bytes: active.reduce(0) { $0 + $1.item.byteCount })
        let candidates = active.filter { $0.entry.state.isPending && $0.entry.firstSent == nil }
        let order: [QueueRow] =
            switch limits.policy {
            case .refuse: []
            case .dropOldest: candidates
            case .dropLowest:
                candidates.filter { $0.entry.priority < item.priority }
                    .sorted { ($0.entry.priority, $0.entry.id) < ($1.entry.priority, $1.entry.id) }
            }
        var dropped: [QueueEntry.ID] = []
        for row in order where !room.fits(item.byteCount) {
            room.remove(row.item.byteCount)
            dropped.append(row.entry.id)
        }
        return room.fits(item.byteCount) ? dropped : nil
    }

    // MARK: Sending

    /// Leases waiting entries.
    public func lease(_ request: QueueLeaseRequest) -> QueueLeaseResult {
        let now = request.now
        let isBehind = note(now)
        let time = newest
        _ = change(where: { $0.entry.state == .postponed && $0.isDue(now) }) {
            $0.move(to: .waiting, now: now)
        }
        var ambiguous: [QueueEntry.ID] = []
        if !isBehind {
            let isOver: (QueueRow) -> Bool = { row in
                row.entry.state == .waiting && row.repeatEnd.map { $0 <= time } ?? false
            }
            ambiguous = change(where: isOver) { $0.move(to: .ambiguous, now: now) }
        }
        var candidates: [QueueRow] = []
        var blocked: Set<OrderKey> = []
        for row in rows where row.entry.state.isActive {
            let order = row.item.orderingKey.map { OrderKey(account: row.entry.account, key: $0) }
            let isFirst = order.map { blocked.insert($0).inserted } ?? true
            guard isFirst, row.entry.state == .waiting, time < row.entry.expires,
                !isBehind || row.entry.firstSent == nil
            else { continue }
            if let account = row.entry.account, request.skippedAccounts.contains(account) { continue }
            if request.skippedOrigins.contains(row.entry.origin) { continue }
            if request.skippedEntries.contains(row.entry.id) { continue }
            candidates.append(row)
        }
        let ageing = request.isNewestFirst ? nil : request.ageing
        candidates.sort { a, b in
            let ranks = [a, b].map {
                QueueRow.rank($0.entry.priority, stored: $0.stored, at: time, ageing: ageing)
            }
            guard ranks[0] == ranks[1] else { return ranks[0] > ranks[1] }
            return request.isNewestFirst ? a.entry.id > b.entry.id : a.entry.id < b.entry.id
        }
        let leases = candidates.prefix(max(0, request.count)).map { row in
            var row = row
            let lease = row.lease(to: request.owner, now: now, time: time)
            save(row)
            return lease
        }
        return QueueLeaseResult(leases, ambiguous: ambiguous, newest: isBehind ? time : nil)
    }

    private struct OrderKey: Hashable {
        let account: QueueAccount?
        let key: String
    }

    /// Ends attempts.
    public func finish(_ completions: [QueueCompletion], now: QueueTime) -> [Bool] {
        note(now)
        return completions.map { completion in
            let lease = completion.lease
            guard var row = row(lease.id), row.entry.state == .leased, row.owner == lease.owner,
                row.entry.attempts == lease.attempt
            else { return false }
            if completion.result == .parked, let account = row.entry.account { park(account, now) }
            row.finish(completion, isParked: isParked(row.entry.account), now: now)
            save(row)
            return true
        }
    }

    private func park(_ account: QueueAccount, _ now: QueueTime) {
        parked.insert(account)
        _ = change(where: { $0.entry.account == account && $0.entry.state.isPending }) {
            $0.move(to: .parked, now: now)
        }
    }

    /// Returns the attempts of ended owners to the queue.
    public func reclaim(from owners: Set<QueueOwner>, now: QueueTime) -> [QueueEntry.ID] {
        guard rows.contains(where: { $0.owner.map(owners.contains) ?? false }) else { return [] }
        note(now)
        return change(where: { $0.owner.map(owners.contains) ?? false }) { row in
            row.move(to: isParked(row.entry.account) ? .parked : .waiting, now: now)
        }
    }

    /// Returns leases that the owner does not know.
    public func giveBack(
        of owner: QueueOwner, now: QueueTime, unless isKnown: (QueueEntry.ID, Int) -> Bool
    ) -> [QueueEntry.ID] {
        let strays = rows.filter { $0.owner == owner && !isKnown($0.entry.id, $0.entry.attempts) }
        guard !strays.isEmpty else { return [] }
        let completions = strays.map { QueueCompletion(notBegun: $0.currentLease(of: owner), .released) }
        _ = finish(completions, now: now)
        return strays.map(\.entry.id)
    }

    // MARK: Changing

    /// Expires pending entries.
    public func expire(now: QueueTime) -> [QueueEntry.ID] {
        guard !note(now) else { return [] }
        return change(where: { $0.entry.state.isPending && $0.entry.expires <= now }) {
            $0.move(to: .expired, now: now)
        }
    }

    /// Cancels entries.
    public func cancel(_ selection: QueueSelection, now: QueueTime) -> [QueueEntry.ID] {
        note(now)
        let meant = Set(selected(selection).filter { !$0.state.isFinal && $0.state != .leased }.map(\.id))
        return change(where: { meant.contains($0.entry.id) }) { $0.move(to: .cancelled, now: now) }
    }

    /// Makes an entry wait again.
    public func retry(_ id: QueueEntry.ID, now: QueueTime) -> Bool {
        note(now)
        guard var row = row(id), row.mayBeRetried(now: now, time: newest) else { return false }
        row.retry(isParked: isParked(row.entry.account), now: now, time: newest)
        save(row)
        return row.entry.state == .waiting
    }

    /// Resumes an account.
    public func resume(_ account: QueueAccount, as newName: QueueAccount?, now: QueueTime) -> Int {
        note(now)
        let name = newName ?? account
        parked.subtract([account, name])
        if name != account {
            _ = change(where: {
                $0.entry.account == account && !$0.entry.state.isFinal && $0.entry.state != .leased
            }) { $0.rename(name) }
        }
        return change(where: { $0.entry.account == name && $0.entry.state == .parked }) {
            $0.move(to: .waiting, now: now)
        }.count
    }

    /// The next work of the queue.
    public func outlook() -> QueueOutlook {
        QueueOutlook(
            counts: counts(),
            nextDue: rows.filter { $0.entry.state == .postponed }.compactMap(\.entry.notBefore).min(),
            nextExpiry: rows.filter(\.entry.state.isPending).map(\.entry.expires).min(),
            owners: Set(rows.compactMap(\.owner)), parkedAccounts: parked,
            newest: newest.milliseconds == .min ? nil : newest)
    }

    /// Lowers the newest time.
    public func lowerNewest(to time: QueueTime) {
        guard newest > time else { return }
        let distance = newest.since(time)
        newest = time
        for index in rows.indices { rows[index].moveBack(to: time, by: distance) }
    }

    /// The earlier active entry that an entry waits for.
    public func predecessor(of id: QueueEntry.ID) -> QueueEntry.ID? {
        guard let row = row(id), let key = row.item.orderingKey else { return nil }
        return rows.first {
            $0.entry.id < id && $0.entry.state.isActive && $0.entry.account == row.entry.account
                && $0.item.orderingKey == key
        }?.entry.id
    }

    /// Removes final entries.
    public func prune(changedBefore time: QueueTime) -> Int {
        let count = rows.count
        rows.removeAll { $0.entry.state.isFinal && $0.changed < time }
        return count - rows.count
    }

    // MARK: Reading

    private func selected(_ selection: QueueSelection) -> [QueueEntry] {
        let all = rows.filter { selection.contains($0.entry, deduplicationKey: $0.item.deduplicationKey) }
        return all.prefix(max(0, selection.limit ?? .max)).map(\.entry)
    }

    /// The selected entries.
    public func entries(_ selection: QueueSelection) -> [QueueEntry] { selected(selection) }

    /// The number of entries by state.
    public func counts() -> [QueueEntry.State: Int] {
        rows.reduce(into: [:]) { $0[$1.entry.state, default: 0] += 1 }
    }
}
