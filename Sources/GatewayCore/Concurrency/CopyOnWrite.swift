import Synchronization

/// A value on the heap with copy-on-write semantics. The struct is one pointer.
///
/// Requests, responses and contexts are such values, because every layer stores them while it waits for the layer
/// below.
@usableFromInline
package struct CopyOnWrite<Value: Sendable>: Sendable {
    @safe
    @usableFromInline
    final class Box: Sendable {
        /// Unchecked: it is changed only while there is exactly one reference to the box.
        @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var value: Value
        let isMarked = Atomic(false)

        init(_ value: Value) {
            unsafe self.value = value
            #if DEBUG
                CallCounter.current?.addBox(of: Value.self)
            #endif
        }
    }

    @usableFromInline var box: Box

    /// Moves a value to the heap.
    package init(_ value: Value) { box = Box(value) }

    /// Whether both refer to the same box.
    @inlinable
    package func isIdentical(to other: Self) -> Bool { box === other.box }

    /// The value. Changing it copies it if it is shared.
    @usableFromInline
    package var value: Value {
        @inlinable _read { yield unsafe box.value }
        _modify {
            if isKnownUniquelyReferenced(&box) {
                box.isMarked.store(false, ordering: .relaxed)
            } else {
                box = Box(unsafe box.value)
            }
            yield unsafe &box.value
        }
    }

    /// Whether ``mark()`` was called for this value. A change removes the mark.
    package var isMarked: Bool { box.isMarked.load(ordering: .relaxed) }

    /// Marks the value, for all copies that share it.
    package func mark() { box.isMarked.store(true, ordering: .relaxed) }
}
