import BenchmarkClients
import CommandArguments
import FoundationEssentials

/// `gateway-bench cache`: what a stored response costs, and whether limits of bytes hold.
enum CacheBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 11)"),
        OptionSpec(
            "--calls", nil, .text("N"),
            help: "calls in each round (default: 20000), and a tenth of it from a file"),
        OptionSpec(
            "--mebibytes", nil, .text("N"),
            help: "how much is offered to stores with a limit of 64 MiB (default: 1024)"),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    static func run(_ arguments: ParsedArguments) async throws -> Bool {
        let rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? 11
        let calls = try arguments.number("--calls", in: 1...10_000_000) ?? 20_000
        let mebibytes = try arguments.number("--mebibytes", in: 1...10_000_000) ?? 1_024
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        Terminal.progress("cost of the cache: \(rounds) rounds of \(calls) calls")
        let cost = try await CacheCost(calls: calls, rounds: rounds, folder: folder).measure()
        Terminal.progress("limit of bytes: \(mebibytes) MiB are offered")
        let limit = try await CacheLimit(mebibytes: mebibytes, folder: folder).measure()
        return try FigureRow.show([cost, limit], asJSON: arguments.has("--json"))
    }
}
