import Synchronization

/// The values of a context on the heap, one pointer wide, copied when shared ones are changed; and a priority that all
/// copies share.
///
/// Why not ``CopyOnWrite``: a call may get a higher priority while the layers below already hold copies of its context.
@usableFromInline
struct ContextStorage<Values: Sendable>: Sendable {
    @safe
    @usableFromInline
    final class Box: Sendable {
        /// Unchecked: it is written only while there is one reference to the box.
        @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var values: Values
        /// The rank of the priority that the call was raised to. Only that of the first box counts.
        let raisedRank = Atomic<UInt8>(0)
        /// The box that the first copy was made of; `nil` for that box itself.
        let first: Box?

        init(_ values: Values, first: Box?) {
            unsafe self.values = values
            self.first = first
            #if DEBUG
                CallCounter.current?.addBox(of: Values.self)
            #endif
        }
    }

    @usableFromInline var box: Box

    /// Puts values on the heap.
    init(_ values: Values) { box = Box(values, first: nil) }

    /// The values. A change copies them if they are shared.
    @usableFromInline
    var value: Values {
        @inlinable _read { yield unsafe box.values }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(unsafe box.values, first: box.first ?? box) }
            yield unsafe &box.values
        }
    }

    /// Whether both are the same place on the heap.
    @inlinable
    func isIdentical(to other: Self) -> Bool { box === other.box }

    /// The rank that this context or a copy of it was raised to; 0 if none was.
    var raisedRank: UInt8 { (box.first ?? box).raisedRank.load(ordering: .relaxed) }

    /// Raises the rank of this context and of all its copies, and returns whether it was lower. A lower rank changes nothing.
    func raise(to rank: UInt8) -> Bool {
        (box.first ?? box).raisedRank.max(rank, ordering: .relaxed).oldValue < rank
    }
}
