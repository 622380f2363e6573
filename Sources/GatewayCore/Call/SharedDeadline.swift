/// The deadline of work that several calls share: the latest of theirs.
package final class SharedDeadline: Sendable {
    private let latest: Locked<Deadline?>

    /// Starts with the first call's deadline; `nil` for none.
    package init(_ deadline: Deadline?) { latest = Locked(deadline) }

    /// The latest so far; `nil` where one of the calls has none.
    package var current: Deadline? { latest.withLock { $0 } }

    /// Takes another call in.
    package func extend(to deadline: Deadline?) {
        latest.withLock { latest in
            guard let known = latest else { return }
            latest = deadline.map { max($0, known) }
        }
    }
}
