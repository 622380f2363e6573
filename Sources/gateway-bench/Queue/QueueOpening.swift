import BenchmarkClients
import GatewayClient
import GatewayOfflineQueue

/// How long it takes to open a queue with many entries, and how much more memory it needs than one with 1,000.
struct QueueOpening {
    let entries: Int
    let rounds: Int
    let folder: String

    func measure() async throws -> FigureRow {
        let (few, many) = (folder + "/few.sqlite", folder + "/many.sqlite")
        try fill(few, 1_000)
        try fill(many, entries)
        var (times, added): ([Double], [Double]) = ([], [])
        for round in 0...rounds {
            let small = try await open(few)
            let large = try await open(many)
            guard round > 0 else { continue }
            times.append(large.milliseconds)
            added.append(large.mebibytes - small.mebibytes)
        }
        return FigureRow(
            name: "opening", title: "A queue with \(entries) entries, opened and started", rounds: rounds,
            figures: [
                .init(name: "ms_open", value: FigureRow.median(times), goal: .atMost(300)),
                .init(name: "mib_more_than_1000", value: FigureRow.median(added), goal: .atMost(8)),
            ])
    }

    /// Opens a queue, starts it, and looks at its status.
    ///
    /// - Returns: how long that takes, and the memory that the process has allocated meanwhile and keeps.
    private func open(_ path: String) async throws -> (milliseconds: Double, mebibytes: Double) {
        let before = ProcessUsage.heapKibibytes
        let started = ContinuousClock.now
        let queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: path), engine: QueueWithoutServer(), network: WithoutNetwork(),
            configuration: QueueSample.configuration)
        await queue.start()
        for await status in await queue.status where status.queued > 0 { break }
        let time = (ContinuousClock.now - started) / .milliseconds(1)
        let memory = ProcessUsage.heapKibibytes - before
        await queue.stop(within: .zero)
        return (time, memory / 1_024)
    }

    private func fill(_ path: String, _ count: Int) throws {
        let store = SQLiteQueueStore(path: path)
        defer { store.close() }
        let now = QueueTime(SystemClock())
        let request = QueueRequest(try QueueSample.request())
        for start in stride(from: 0, to: count, by: 1_024) {
            let items = try (start..<min(count, start + 1_024)).map { _ in try QueueItem(request, now: now) }
            _ = try store.insert(items, limits: QueueSample.configuration.limits, now: now)
        }
    }
}

/// No network.
private struct WithoutNetwork: NetworkConditionSource {
    let condition = NetworkCondition(quality: .offline)

    func conditions() -> AsyncStream<NetworkCondition> {
        AsyncStream { continuation in _ = continuation.yield(condition) }
    }
}
