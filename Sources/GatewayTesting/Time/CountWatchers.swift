/// Tasks that wait until a count is reached.
struct CountWatchers {
    typealias Watcher = CheckedContinuation<Void, Never>

    private var waiting: [(count: Int, watcher: Watcher)] = []

    /// Adds a task, or returns it if the count is reached already.
    mutating func add(_ watcher: Watcher, until count: Int, now: Int) -> Watcher? {
        if now >= count { return watcher }
        waiting.append((count, watcher))
        return nil
    }

    /// Removes the tasks whose count is reached.
    mutating func take(at now: Int) -> [Watcher] {
        defer { waiting.removeAll { $0.count <= now } }
        return waiting.filter { $0.count <= now }.map(\.watcher)
    }
}
