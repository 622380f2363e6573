/// Doubly linked lists of small indices that share one table, so that an index enters and leaves a list in
/// constant time without an allocation. An index is in one list at a time.
struct LinkTable {
    /// The ends of one list.
    struct List: Hashable {
        fileprivate(set) var first = -1
        fileprivate(set) var last = -1

        var isEmpty: Bool { first < 0 }
    }

    private var next: [Int] = []
    private var previous: [Int] = []

    /// Makes room for an index.
    mutating func grow(toHold index: Int) {
        while next.count <= index {
            next.append(-1)
            previous.append(-1)
        }
    }

    /// Puts an index behind the others.
    mutating func append(_ index: Int, to list: inout List) {
        grow(toHold: index)
        next[index] = -1
        previous[index] = list.last
        if list.last >= 0 { next[list.last] = index } else { list.first = index }
        list.last = index
    }

    /// Takes an index out of the list it is in.
    mutating func remove(_ index: Int, from list: inout List) {
        let (before, after) = (previous[index], next[index])
        if before >= 0 { next[before] = after } else { list.first = after }
        if after >= 0 { previous[after] = before } else { list.last = before }
        next[index] = -1
        previous[index] = -1
    }

    /// Takes the first index out.
    mutating func popFirst(from list: inout List) -> Int? {
        guard list.first >= 0 else { return nil }
        let index = list.first
        remove(index, from: &list)
        return index
    }
}
