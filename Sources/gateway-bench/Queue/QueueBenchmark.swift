import BenchmarkClients
import FoundationEssentials

/// `gateway-bench queue`: what it costs to store requests and to send stored ones.
struct QueueBenchmark {
    private var isJSON = false
    private var rounds = 11
    private var commits = 200
    private var entries = 100_000
    private var requests = 20_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var (rounds, commits, entries, requests) = (rounds, commits, entries, requests)
        isJSON = try CountOptions.read(arguments, most: 10_000_000) { option, count in
            switch option {
            case "--rounds": rounds = count
            case "--commits": commits = count
            case "--entries": entries = count
            case "--requests": requests = count
            default: return false
            }
            return true
        }
        (self.rounds, self.commits, self.entries, self.requests) = (rounds, commits, entries, requests)
    }

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    func run() async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        Terminal.progress("storing: \(rounds) rounds of \(commits) commits")
        let storing = try await QueueStoring(commits: commits, rounds: rounds, folder: folder).measure()
        Terminal.progress("sending: \(rounds) rounds of \(requests) requests")
        let sending = try await QueueSending(requests: requests, rounds: rounds, folder: folder).measure()
        Terminal.progress("opening: \(entries) entries")
        let opening = try await QueueOpening(entries: entries, rounds: rounds, folder: folder).measure()
        Terminal.endProgress()
        let rows = [storing, sending, opening]
        try FigureRow.show(rows, asJSON: isJSON)
        return rows.allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }
}
