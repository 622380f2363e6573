/// Waiters by deadline, the earliest first; equal deadlines in order of arrival. Inserting and removing take
/// logarithmic time. The position of each waiter is stored in a table that several heaps share.
struct DeadlineHeap: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Entry: Sendable {
        let deadline: Instant
        /// The number of the waiter, in the order of arrival.
        let serial: UInt64
        let slot: Int

        static func < (a: Self, b: Self) -> Bool { (a.deadline, a.serial) < (b.deadline, b.serial) }
    }

    private var entries: [Entry] = []

    /// The waiter with the earliest deadline.
    var first: Entry? { entries.first }

    var count: Int { entries.count }

    /// Adds a waiter.
    mutating func insert(_ entry: Entry, _ positions: inout [Int]) {
        while positions.count <= entry.slot { positions.append(-1) }
        entries.append(entry)
        positions[entry.slot] = entries.count - 1
        rise(entries.count - 1, &positions)
    }

    /// Removes a waiter that is in this heap.
    mutating func remove(_ slot: Int, _ positions: inout [Int]) {
        let position = positions[slot]
        positions[slot] = -1
        let last = entries.removeLast()
        guard position < entries.count else { return }
        entries[position] = last
        positions[last.slot] = position
        rise(position, &positions)
        sink(positions[last.slot], &positions)
    }

    private mutating func rise(_ start: Int, _ positions: inout [Int]) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child] < entries[parent] else { return }
            swap(child, parent, &positions)
            child = parent
        }
    }

    private mutating func sink(_ start: Int, _ positions: inout [Int]) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child] < entries[least] {
                least = child
            }
            guard least != parent else { return }
            swap(least, parent, &positions)
            parent = least
        }
    }

    private mutating func swap(_ a: Int, _ b: Int, _ positions: inout [Int]) {
        entries.swapAt(a, b)
        positions[entries[a].slot] = a
        positions[entries[b].slot] = b
    }
}
