import BenchmarkClients
import GatewayClient
import GatewayOfflineQueue

/// How many requests are stored in a second, each durable when its caller goes on, beside the commits of SQLite alone. The
/// rounds alternate.
struct QueueStoring {
    private static let callers = 64

    let commits: Int
    let rounds: Int
    let folder: String

    func measure() async throws -> FigureRow {
        let bare = try BareSQLite(path: folder + "/bare.sqlite")
        let queue = try await OfflineQueueEngine(
            store: SQLiteQueueStore(path: folder + "/storing.sqlite"), engine: QueueWithoutServer(),
            configuration: QueueSample.configuration)
        let request = QueueRequest(try QueueSample.request())
        let row = [UInt8](repeating: 0x78, count: 512)
        let store = SQLiteQueueStore(path: folder + "/store.sqlite")
        var (ones, many, commitRates): ([Double], [Double], [Double]) = ([], [], [])
        var stores: [Double] = []
        for round in 0...rounds {
            let rate = try await Self.rate(commits) { for _ in 0..<commits { try bare.commit(row) } }
            let stored = try await Self.rate(commits) {
                for _ in 0..<commits {
                    let now = QueueTime(SystemClock())
                    _ = try store.insert(
                        [QueueItem(request, now: now)], limits: QueueSample.configuration.limits, now: now)
                }
            }
            let one = try await Self.rate(commits) {
                for _ in 0..<commits { _ = try await queue.enqueue(request) }
            }
            let count = max(1, commits / 8) * Self.callers
            let all = try await Self.rate(count) {
                try await Self.spread(count, over: Self.callers) { _ in _ = try await queue.enqueue(request) }
            }
            // The first round makes the files.
            guard round > 0 else { continue }
            commitRates.append(rate)
            stores.append(stored / rate)
            ones.append(one / rate)
            many.append(all / rate)
        }
        return FigureRow(
            name: "storing", title: "Stored requests, beside SQLite's commits of one row", rounds: rounds,
            figures: [
                .init(name: "commits_per_second", value: FigureRow.median(commitRates)),
                .init(name: "ratio_store", value: FigureRow.median(stores)),
                .init(name: "ratio_1_caller", value: FigureRow.median(ones), goal: .optimized(.atLeast(0.8))),
                .init(
                    name: "ratio_64_callers", value: FigureRow.median(many), goal: .optimized(.atLeast(10))),
            ])
    }

    /// Does something for each number below `count`, by several callers at once.
    static func spread(
        _ count: Int, over callers: Int, _ body: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    for number in stride(from: caller, to: count, by: callers) { try await body(number) }
                }
            }
            try await group.waitForAll()
        }
    }

    static func rate(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
        let started = ContinuousClock.now
        try await body()
        return Double(count) / ((ContinuousClock.now - started) / .seconds(1))
    }
}
