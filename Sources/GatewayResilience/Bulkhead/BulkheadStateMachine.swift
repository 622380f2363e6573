import GatewayCore

/// Decides which calls have a permit, which wait, and which are rejected. Pure: the caller passes the time
/// and performs the returned actions.
///
/// A waiter has a rank: that of its priority, raised by one for each ``BulkheadPolicy/ageing`` that it has
/// waited, up to *overdue*. Replays, calls that are repeated because their credential was rejected, rank
/// above all others. A free permit goes to a waiter of the highest rank. Among several, it is the first or
/// the latest to reach the rank, as the policy says; among overdue waiters and replays it is the first. If
/// the total limit delays several origins with waiters of the same rank, they take turns. Each operation
/// takes constant or logarithmic time.
struct BulkheadStateMachine<Waiter: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias Rejection = BulkheadRejection
    typealias Room = WaitingRoom<Waiter>
    typealias WaiterID = Room.WaiterID

    private let policy: BulkheadPolicy
    private var active = 0
    private var room = Room()
    private var origins: [BulkheadOrigin] = []
    private var placeOfOrigin: [Origin?: Int] = [:]
    private var freePlaces: [Int] = []
    private var lastPlace = 0
    /// The origins that could start a waiter, by the highest rank of their waiters, in the order of their turns.
    private var turns = InlineArray<6, LinkTable.List>(repeating: LinkTable.List())
    private var turnLinks = LinkTable()

    /// The actions since the last ``takeActions()``, in order.
    private(set) var actions: [Action] = []
    /// The unreported changes, in order.
    private(set) var changes: [Change] = []

    /// Makes a bulkhead without calls.
    ///
    /// - Parameter policy: a valid policy.
    init(policy: BulkheadPolicy) { self.policy = policy }

    /// When to call ``expire(at:)`` next; `nil` if no waiter has a deadline.
    var nextDeadline: Instant? { room.deadlines.first?.deadline }
    /// The number of origins that are stored.
    var originCount: Int { placeOfOrigin.count }

    // MARK: Calls

    /// Admits a call if a permit is available; `nil` if it would have to wait. Does not allocate for a known origin.
    ///
    /// - Parameter isBackground: whether the last quarter of the permits is kept for others.
    mutating func enterNow(_ origin: Origin?, isBackground: Bool = false) -> Int? {
        guard active < (isBackground ? Self.backgroundShare(of: policy.inAll) : policy.inAll) else {
            return nil
        }
        let place = place(of: origin)
        let limit = origins[place].limit
        guard origins[place].active < (isBackground ? Self.backgroundShare(of: limit) : limit) else {
            return nil
        }
        active += 1
        origins[place].active += 1
        return place
    }

    /// Admits a call, enqueues it, or rejects it.
    ///
    /// - Parameter isReplay: whether it is repeated because its credential was rejected.
    mutating func enter(
        _ waiter: Waiter, to origin: Origin?, priority: CallPriority, isReplay: Bool = false,
        until deadline: Instant?, at now: Instant
    ) -> Entry {
        advance(to: now)
        if let place = enterNow(origin) { return .admitted(place) }
        let place = place(of: origin)
        let rank = isReplay ? Room.replay : Int(priority.rank)
        if let deadline {
            if deadline <= now { return refuse(rejection(.expired, place), place) }
            let ahead = waiters(from: policy.newestFirst && !isReplay ? rank + 1 : rank, at: place)
            if let wait = hopelessWait(behind: ahead, until: deadline, at: place, now) {
                return refuse(turnedAway(.hopeless(wait), place), place)
            }
        }
        if !isReplay, let rejection = makeRoom(for: rank, place) { return refuse(rejection, place) }
        let id = room.insert(waiter, of: place, priority: priority, rank: rank, until: deadline, at: now)
        refresh(place)
        shed(place, at: now)
        return .waits(id)
    }

    /// Removes a waiter that no longer waits. Returns whether it was waiting.
    mutating func withdraw(_ id: WaiterID) -> Bool {
        guard room.contains(id) else { return false }
        let place = room.slots[id.slot].place
        _ = room.remove(id.slot)
        refresh(place)
        forgetIfUnused(place)
        return true
    }

    /// A permit is returned.
    ///
    /// - Parameter held: how long it was held, in microseconds; `nil` if nothing was sent.
    mutating func leave(_ place: Int, after held: Int64?, at now: Instant) {
        advance(to: now)
        active -= 1
        origins[place].active -= 1
        if let held {
            let held = min(max(0, held), 3_600_000_000)
            origins[place].holdTime = origins[place].holdTime.map { $0 + (held - $0) / 8 } ?? held
        }
        // The common case: no actions.
        if room.count > 0 || origins[place].isOverloaded {
            refresh(place)
            admit(at: now)
            shed(place, at: now)
        }
        forgetIfUnused(place)
    }

    /// Raises the priority of a waiter. It is queued like a new waiter of that priority; a lower priority changes
    /// nothing.
    mutating func raise(_ id: WaiterID, to priority: CallPriority, at now: Instant) {
        advance(to: now)
        let rank = Int(priority.rank)
        guard room.contains(id), room.raise(id.slot, to: priority), room.slots[id.slot].rank < rank else {
            return
        }
        let place = room.slots[id.slot].place
        room.move(id.slot, to: rank, entered: now)
        refresh(place)
        shed(place, at: now)
    }

    /// Rejects the waiters for a permit of one origin, or of any.
    ///
    /// - Parameters:
    ///   - origin: the origin; `nil` for all origins.
    ///   - isMeant: whether to reject a waiter.
    /// - Returns: the rejected waiters.
    mutating func empty(_ origin: Origin?, where isMeant: (Waiter) -> Bool) -> [Waiter] {
        let places = origin.map { [placeOfOrigin[$0]].compactMap { $0 } } ?? Array(origins.indices)
        return places.flatMap { place in
            let meant = room.waiters(of: place).filter { room.slots[$0].waiter.map(isMeant) ?? false }
            let waiters = meant.compactMap { room.remove($0) }
            refresh(place)
            return waiters
        }
    }

    // MARK: Limits

    /// The number of permits that calls in the background may use: three quarters, and at least one.
    private static func backgroundShare(of limit: Int) -> Int { max(1, limit - (limit + 3) / 4) }

    /// Sets the limit of an origin.
    mutating func setLimit(_ limit: Int, of place: Int, at now: Instant) {
        advance(to: now)
        origins[place].limit = min(max(1, limit), policy.inAll)
        report(limitOf: place)
        refresh(place)
        admit(at: now)
        shed(place, at: now)
    }

    /// Adapts the limit of an origin to a response. The call is still in progress.
    mutating func record(_ sample: Sample, of place: Int, at now: Instant) {
        guard var adaptive = origins[place].adaptive else { return }
        // Temporarily removed from the array, so that it is not copied.
        origins[place].adaptive = nil
        switch sample {
        case .response(let latency, let operation):
            adaptive.record(latency: latency, operation: operation, inFlight: origins[place].active, at: now)
        case .dropped(let duration):
            adaptive.dropped(after: duration, inFlight: origins[place].active, at: now)
        }
        let limit = adaptive.limit
        origins[place].adaptive = adaptive
        if limit != origins[place].limit { setLimit(limit, of: place, at: now) }
    }

    private mutating func report(limitOf place: Int) {
        let (old, new) = (origins[place].reportedLimit, origins[place].limit)
        var isBound = false
        if case .adaptive(let range) = policy.perOrigin {
            isBound = new <= range.lowerBound || new >= range.upperBound
        }
        guard new != old, isBound || new >= 2 * old || 2 * new <= old else { return }
        origins[place].reportedLimit = new
        changes.append(.limit(origins[place].origin, from: old, to: new))
    }

    // MARK: Time

    /// Rejects the waiters whose deadline has passed.
    mutating func expire(at now: Instant) {
        advance(to: now)
        while let first = room.deadlines.first, first.deadline <= now { reject(first.slot, .expired) }
    }

    /// Raises the rank of waiters that have waited long enough.
    private mutating func advance(to now: Instant) {
        guard room.count > 0 else { return }
        for rank in 0..<Room.overdue {
            while !room.ranks[rank].isEmpty {
                let slot = room.ranks[rank].first
                let due = room.slots[slot].entered.adding(policy.ageing)
                guard due <= now else { break }
                room.move(slot, to: rank + 1, entered: due)
                refresh(room.slots[slot].place)
            }
        }
    }

    // MARK: Results

    /// Returns and clears the actions.
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// Returns and clears the changes.
    mutating func takeChanges() -> [Change] {
        defer { changes = [] }
        return changes
    }

    /// The current counts.
    var statistics: BulkheadStatistics {
        var statistics = BulkheadStatistics(limit: policy.inAll)
        for state in origins where state.isUsed {
            var counts = BulkheadStatistics.Counts(limit: state.limit)
            counts.inUse = state.active
            counts.holdTime = state.holdTime.map { .microseconds($0) }
            statistics.add(counts, of: state.origin)
        }
        for slot in room.slots where slot.waiter != nil {
            statistics.addWaiter(slot.priority, of: origins[slot.place].origin)
        }
        return statistics
    }
}

// MARK: - Choosing

extension BulkheadStateMachine {
    /// Gives permits to waiters as long as there are both.
    private mutating func admit(at now: Instant) {
        while active < policy.inAll, let rank = (0...Room.replay).last(where: { !turns[$0].isEmpty }) {
            let place = turns[rank].first
            // It goes last, if it has another waiter that could start.
            turnLinks.remove(place, from: &turns[rank])
            origins[place].turn = -1
            let list = room.queues[place].lists[rank]
            let slot = policy.newestFirst && rank < Room.overdue ? list.last : list.first
            guard room.slots[slot].deadline.map({ $0 > now }) ?? true else {
                reject(slot, .expired)
                continue
            }
            if let waiter = room.remove(slot) {
                active += 1
                origins[place].active += 1
                actions.append(.admit(waiter, place))
            }
            refresh(place)
        }
    }

    /// Gives an origin its turn by the rank of its waiters, and reports that it has recovered.
    private mutating func refresh(_ place: Int) {
        let turn = origins[place].active < origins[place].limit ? room.highestRank(of: place) : -1
        if turn != origins[place].turn {
            if origins[place].turn >= 0 { turnLinks.remove(place, from: &turns[origins[place].turn]) }
            if turn >= 0 { turnLinks.append(place, to: &turns[turn]) }
            origins[place].turn = turn
        }
        guard origins[place].isOverloaded, room.queues[place].count == 0,
            origins[place].active * 4 <= origins[place].limit * 3
        else { return }
        origins[place].isOverloaded = false
        changes.append(.recovered(origins[place].origin))
    }

    // MARK: Turning away

    /// Rejects a waiter of a lower rank to admit another one to the queue.
    ///
    /// - Returns: the reason of the rejection if no place is available.
    private mutating func makeRoom(for rank: Int, _ place: Int) -> Rejection? {
        if room.countWithoutReplays(of: place) >= policy.waitingPerOrigin {
            return displace(room.queues[place].lists, by: rank) ? nil : turnedAway(.full(inAll: false), place)
        }
        if room.countWithoutReplays >= policy.waitingInAll {
            return displace(room.ranks, by: rank) ? nil : turnedAway(.full(inAll: true), place)
        }
        return nil
    }

    /// Rejects the waiter that would be served last, if its rank is lower than `rank`.
    private mutating func displace(_ lists: InlineArray<6, LinkTable.List>, by rank: Int) -> Bool {
        guard let lowest = (0...Room.overdue).first(where: { !lists[$0].isEmpty }) else { return false }
        guard lowest < rank || policy.newestFirst && lowest == rank else { return false }
        reject(policy.newestFirst ? lists[lowest].first : lists[lowest].last, .displaced)
        return true
    }

    /// Rejects the waiters whose deadline passes before they could get a permit, even as the next of their
    /// rank.
    private mutating func shed(_ place: Int, at now: Instant) {
        guard policy.shedsHopeless, room.queues[place].count > 0, origins[place].holdTime != nil else {
            return
        }
        for rank in (0...Room.replay).reversed() {
            let ahead = waiters(from: rank + 1, at: place)
            while let first = room.queues[place].deadlines[rank].first,
                let wait = hopelessWait(behind: ahead, until: first.deadline, at: place, now)
            { reject(first.slot, .hopeless(wait)) }
        }
    }

    /// The number of waiters of an origin with at least a rank.
    private func waiters(from rank: Int, at place: Int) -> Int {
        var count = 0
        for other in rank..<6 { count += room.queues[place].counts[other] }
        return count
    }

    /// The expected wait of a call behind others, if it is longer than the call's limit.
    private func hopelessWait(
        behind ahead: Int, until deadline: Instant, at place: Int, _ now: Instant
    ) -> Duration? {
        guard policy.shedsHopeless, let holdTime = origins[place].holdTime else { return nil }
        // At most 1 h and 1,000,001 waiters.
        let wait = Duration.microseconds(holdTime * (Int64(ahead) + 1) / Int64(origins[place].limit))
        return now.adding(wait) > deadline ? wait : nil
    }

    private mutating func refuse(_ rejection: Rejection, _ place: Int) -> Entry {
        forgetIfUnused(place)
        return .rejected(rejection)
    }

    private mutating func reject(_ slot: Int, _ reason: Rejection.Reason) {
        let place = room.slots[slot].place
        let rejection = reason == .expired ? rejection(reason, place) : turnedAway(reason, place)
        if let waiter = room.remove(slot) { actions.append(.reject(waiter, rejection)) }
        refresh(place)
    }

    private mutating func turnedAway(_ reason: Rejection.Reason, _ place: Int) -> Rejection {
        let rejection = rejection(reason, place)
        if !origins[place].isOverloaded {
            origins[place].isOverloaded = true
            changes.append(
                .overloaded(origins[place].origin, limit: rejection.limit, waiting: rejection.waiting))
        }
        return rejection
    }

    private func rejection(_ reason: Rejection.Reason, _ place: Int) -> Rejection {
        Rejection(
            reason: reason, limit: origins[place].limit, inUse: active,
            waiting: room.queues[place].count, waitingInAll: room.count)
    }

    // MARK: Origins

    private mutating func place(of origin: Origin?) -> Int {
        // Most calls use the same origin as the one before, and hashing a host costs more than comparing it.
        if origins.indices.contains(lastPlace), origins[lastPlace].isUsed, origins[lastPlace].origin == origin
        {
            return lastPlace
        }
        if let place = placeOfOrigin[origin] {
            lastPlace = place
            return place
        }
        var state = BulkheadOrigin()
        state.origin = origin
        switch policy.perOrigin {
        case .fixed(let limit): state.limit = limit
        case .adaptive(let range):
            let adaptive = AdaptiveLimitStateMachine(range: range)
            state.limit = adaptive.limit
            state.adaptive = adaptive
        }
        state.reportedLimit = state.limit
        let place = freePlaces.popLast() ?? origins.count
        if place == origins.count { origins.append(state) } else { origins[place] = state }
        placeOfOrigin[origin] = place
        room.grow(toHold: place)
        return place
    }

    /// Up to a number of origins, those without calls are kept: they keep their limit, and are found faster.
    private mutating func forgetIfUnused(_ place: Int) {
        guard placeOfOrigin.count > 256, origins[place].active == 0, room.queues[place].count == 0 else {
            return
        }
        placeOfOrigin[origins[place].origin] = nil
        origins[place] = BulkheadOrigin()
        origins[place].isUsed = false
        freePlaces.append(place)
    }
}
