/// Doubly linked lists of small indices that share one table, so that an index enters and leaves a list in
/// constant time without an allocation. An index is in one list at a time.
///
/// Inlinable, since the modules that use it do so for every request.
package struct LinkTable: Sendable {
    /// The ends of one list. Only ``LinkTable`` changes them.
    package struct List: Hashable, Sendable {
        /// The first index; negative if the list is empty.
        package var first = -1
        /// The last index; negative if the list is empty.
        package var last = -1

        /// Makes an empty list.
        @inlinable
        package init() {}

        /// Whether no index is in the list.
        @inlinable package var isEmpty: Bool { first < 0 }
    }

    @usableFromInline var next: [Int] = []
    @usableFromInline var previous: [Int] = []

    /// Makes a table without indices.
    @inlinable
    package init() {}

    /// The index behind one that is in a list; `nil` for the last.
    @inlinable
    package func index(after index: Int) -> Int? { next[index] < 0 ? nil : next[index] }

    /// Makes room for an index.
    @inlinable
    package mutating func grow(toHold index: Int) {
        while next.count <= index {
            next.append(-1)
            previous.append(-1)
        }
    }

    /// Puts an index behind the others.
    @inlinable
    package mutating func append(_ index: Int, to list: inout List) {
        grow(toHold: index)
        next[index] = -1
        previous[index] = list.last
        if list.last >= 0 { next[list.last] = index } else { list.first = index }
        list.last = index
    }

    /// Takes an index out of the list it is in.
    @inlinable
    package mutating func remove(_ index: Int, from list: inout List) {
        let (before, after) = (previous[index], next[index])
        if before >= 0 { next[before] = after } else { list.first = after }
        if after >= 0 { previous[after] = before } else { list.last = before }
        next[index] = -1
        previous[index] = -1
    }

    /// Takes the first index out.
    @inlinable
    package mutating func popFirst(from list: inout List) -> Int? {
        guard list.first >= 0 else { return nil }
        let index = list.first
        remove(index, from: &list)
        return index
    }
}
