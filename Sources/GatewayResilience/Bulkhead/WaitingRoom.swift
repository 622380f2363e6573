import GatewayCore

/// The waiters of a bulkhead, by origin, rank and deadline. Origins are numbers from 0, ranks are 0 to
/// ``replay``. Each operation takes constant or logarithmic time.
struct WaitingRoom<Waiter: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The identity of a waiter.
    struct WaiterID: Hashable, Sendable {
        let slot: Int
        let serial: UInt64
    }

    /// A waiter and its state.
    struct Slot: Sendable {
        fileprivate(set) var waiter: Waiter?
        fileprivate(set) var serial: UInt64 = 0
        fileprivate(set) var place = 0
        fileprivate(set) var rank = 0
        fileprivate(set) var priority = CallPriority.normal
        /// When it reached its rank.
        fileprivate(set) var entered: Instant
        fileprivate(set) var deadline: Instant?
    }

    /// The waiters of an origin.
    struct Queue: Sendable {
        /// By rank, in the order of reaching it.
        fileprivate(set) var lists = InlineArray<6, LinkTable.List>(repeating: LinkTable.List())
        /// The waiters with a deadline, by rank.
        fileprivate(set) var deadlines = InlineArray<6, DeadlineHeap>(repeating: DeadlineHeap())
        fileprivate(set) var counts = InlineArray<6, Int>(repeating: 0)
        fileprivate(set) var count = 0
    }

    /// The rank above all priorities.
    static var overdue: Int { 4 }
    /// The rank of calls that are repeated because their credential was rejected, above all others. It does
    /// not change, and these calls do not count towards the limits of waiting calls.
    static var replay: Int { 5 }

    /// The number of waiters.
    private(set) var count = 0
    private var replays = 0
    /// By the number of the origin.
    private(set) var queues: [Queue] = []
    private(set) var slots: [Slot] = []
    /// All waiters by rank, in the order of reaching it.
    private(set) var ranks = InlineArray<6, LinkTable.List>(repeating: LinkTable.List())
    /// All waiters with a deadline.
    private(set) var deadlines = DeadlineHeap()
    private var freeSlots: [Int] = []
    private var lastSerial: UInt64 = 0
    private var queueLinks = LinkTable()
    private var rankLinks = LinkTable()
    private var queuePositions: [Int] = []
    private var positions: [Int] = []

    /// Whether a waiter is still stored.
    func contains(_ id: WaiterID) -> Bool {
        slots.indices.contains(id.slot) && slots[id.slot].serial == id.serial && slots[id.slot].waiter != nil
    }

    /// The highest rank of the waiters of an origin; negative if there are none.
    func highestRank(of place: Int) -> Int {
        guard queues[place].count > 0 else { return -1 }
        return (0...Self.replay).last { !queues[place].lists[$0].isEmpty } ?? -1
    }

    /// The waiters of an origin, the lowest rank first.
    func waiters(of place: Int) -> [Int] {
        guard queues.indices.contains(place) else { return [] }
        var waiters: [Int] = []
        for rank in 0...Self.replay {
            var next = queues[place].lists[rank].first
            while next >= 0 {
                waiters.append(next)
                next = queueLinks.index(after: next) ?? -1
            }
        }
        return waiters
    }

    /// Makes room for an origin.
    mutating func grow(toHold place: Int) {
        while queues.count <= place { queues.append(Queue()) }
    }

    /// The number of waiters, without replays.
    var countWithoutReplays: Int { count - replays }

    /// The number of waiters of an origin, without replays.
    func countWithoutReplays(of place: Int) -> Int { queues[place].count - queues[place].counts[Self.replay] }

    /// Adds a waiter at the end of its rank.
    mutating func insert(
        _ waiter: Waiter, of place: Int, priority: CallPriority, rank: Int, until deadline: Instant?,
        at now: Instant
    ) -> WaiterID {
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot(entered: now)) }
        lastSerial += 1
        slots[slot] = Slot(
            waiter: waiter, serial: lastSerial, place: place, rank: rank, priority: priority,
            entered: now, deadline: deadline)
        count += 1
        queues[place].count += 1
        if let deadline { deadlines.insert(entry(slot, deadline), &positions) }
        link(slot)
        return WaiterID(slot: slot, serial: lastSerial)
    }

    /// Moves a waiter to the end of another rank.
    mutating func move(_ slot: Int, to rank: Int, entered: Instant) {
        unlink(slot)
        slots[slot].rank = rank
        slots[slot].entered = entered
        link(slot)
    }

    /// Raises the priority of a waiter. Returns whether it was lower.
    mutating func raise(_ slot: Int, to priority: CallPriority) -> Bool {
        guard priority > slots[slot].priority else { return false }
        slots[slot].priority = priority
        return true
    }

    /// Removes a waiter.
    mutating func remove(_ slot: Int) -> Waiter? {
        unlink(slot)
        if slots[slot].deadline != nil { deadlines.remove(slot, &positions) }
        count -= 1
        queues[slots[slot].place].count -= 1
        freeSlots.append(slot)
        defer { slots[slot].waiter = nil }
        return slots[slot].waiter
    }

    private func entry(_ slot: Int, _ deadline: Instant) -> DeadlineHeap.Entry {
        DeadlineHeap.Entry(deadline: deadline, serial: slots[slot].serial, slot: slot)
    }

    private mutating func link(_ slot: Int) {
        let (place, rank) = (slots[slot].place, slots[slot].rank)
        queueLinks.append(slot, to: &queues[place].lists[rank])
        rankLinks.append(slot, to: &ranks[rank])
        queues[place].counts[rank] += 1
        if rank == Self.replay { replays += 1 }
        if let deadline = slots[slot].deadline {
            queues[place].deadlines[rank].insert(entry(slot, deadline), &queuePositions)
        }
    }

    private mutating func unlink(_ slot: Int) {
        let (place, rank) = (slots[slot].place, slots[slot].rank)
        queueLinks.remove(slot, from: &queues[place].lists[rank])
        rankLinks.remove(slot, from: &ranks[rank])
        queues[place].counts[rank] -= 1
        if rank == Self.replay { replays -= 1 }
        if slots[slot].deadline != nil { queues[place].deadlines[rank].remove(slot, &queuePositions) }
    }
}
