/// Doubly linked lists of small indices that share one table. An index is added and removed in constant time without
/// allocation. An index can be in one list at a time.
///
/// Inlinable, because other modules use it for every request.
package struct LinkTable: Sendable {
    /// The ends of one list. Only ``LinkTable`` changes them.
    package struct List: Hashable, Sendable {
        /// The first index; negative if the list is empty.
        package var first = -1
        /// The last index; negative if the list is empty.
        package var last = -1

        /// Creates an empty list.
        @inlinable
        package init() {}

        /// Whether the list is empty.
        @inlinable package var isEmpty: Bool { first < 0 }
    }

    @usableFromInline var next: [Int] = []
    @usableFromInline var previous: [Int] = []

    /// Creates an empty table.
    @inlinable
    package init() {}

    /// The index after an index in a list; `nil` for the last one.
    @inlinable
    package func index(after index: Int) -> Int? { next[index] < 0 ? nil : next[index] }

    /// Reserves space for an index.
    @inlinable
    package mutating func grow(toHold index: Int) {
        while next.count <= index {
            next.append(-1)
            previous.append(-1)
        }
    }

    /// Appends an index to a list.
    @inlinable
    package mutating func append(_ index: Int, to list: inout List) {
        grow(toHold: index)
        next[index] = -1
        previous[index] = list.last
        if list.last >= 0 { next[list.last] = index } else { list.first = index }
        list.last = index
    }

    /// Removes an index from its list.
    @inlinable
    package mutating func remove(_ index: Int, from list: inout List) {
        let (before, after) = (previous[index], next[index])
        if before >= 0 { next[before] = after } else { list.first = after }
        if after >= 0 { previous[after] = before } else { list.last = before }
        next[index] = -1
        previous[index] = -1
    }

    /// Removes and returns the first index.
    @inlinable
    package mutating func popFirst(from list: inout List) -> Int? {
        guard list.first >= 0 else { return nil }
        let index = list.first
        remove(index, from: &list)
        return index
    }
}
