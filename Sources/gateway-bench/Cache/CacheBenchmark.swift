import BenchmarkClients
import FoundationEssentials

/// `gateway-bench cache`: what a stored response costs, and whether limits of bytes hold.
struct CacheBenchmark {
    private var isJSON = false
    private var rounds = 11
    private var calls = 20_000
    private var mebibytes = 1_024

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var (rounds, calls, mebibytes) = (rounds, calls, mebibytes)
        isJSON = try CountOptions.read(arguments, most: 10_000_000) { option, count in
            switch option {
            case "--rounds": rounds = count
            case "--calls": calls = count
            case "--mebibytes": mebibytes = count
            default: return false
            }
            return true
        }
        (self.rounds, self.calls, self.mebibytes) = (rounds, calls, mebibytes)
    }

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    func run() async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        Terminal.progress("cost of the cache: \(rounds) rounds of \(calls) calls")
        let cost = try await CacheCost(calls: calls, rounds: rounds, folder: folder).measure()
        Terminal.progress("limit of bytes: \(mebibytes) MiB are offered")
        let limit = try await CacheLimit(mebibytes: mebibytes, folder: folder).measure()
        Terminal.endProgress()
        try FigureRow.show([cost, limit], asJSON: isJSON)
        return [cost, limit].allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }
}
