/// The instants at which connections are looked at again: a binary heap.
struct Timers {
    private var heap: [(due: UInt64, id: UInt64)] = []

    /// The earliest instant.
    var next: UInt64? { heap.first?.due }

    mutating func add(_ id: UInt64, due: UInt64) {
        heap.append((due, id))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].due < heap[parent].due else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next one that is due.
    mutating func take(now: UInt64) -> UInt64? {
        guard let top = heap.first, top.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return top.id }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].due < heap[least].due {
                least = child
            }
            guard least != parent else { return top.id }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
