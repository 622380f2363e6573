import Synchronization

/// The numbers of calls, from 1.
package final class CallNumbers: Sendable {
    private let last = Atomic<Int>(0)

    package init() {}

    package func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
