import BenchmarkClients
import CommandArguments
import FoundationEssentials

/// `gateway-bench queue`: what it costs to store requests and to send stored ones.
enum QueueBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 11)"),
        OptionSpec(
            "--commits", nil, .text("N"),
            help: "commits of one caller in each round (default: 200), and eight times as many of 64"),
        OptionSpec(
            "--requests", nil, .text("N"),
            help: "requests that are sent in each round (default: 20000)"),
        OptionSpec(
            "--entries", nil, .text("N"),
            help: "entries of the queue that is opened (default: 100000)"),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    static func run(_ arguments: ParsedArguments) async throws -> Bool {
        let rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? 11
        let commits = try arguments.number("--commits", in: 1...10_000_000) ?? 200
        let entries = try arguments.number("--entries", in: 1...10_000_000) ?? 100_000
        let requests = try arguments.number("--requests", in: 1...10_000_000) ?? 20_000
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        Terminal.progress("storing: \(rounds) rounds of \(commits) commits")
        let storing = try await QueueStoring(commits: commits, rounds: rounds, folder: folder).measure()
        Terminal.progress("sending: \(rounds) rounds of \(requests) requests")
        let sending = try await QueueSending(requests: requests, rounds: rounds, folder: folder).measure()
        Terminal.progress("opening: \(entries) entries")
        let opening = try await QueueOpening(entries: entries, rounds: rounds, folder: folder).measure()
        let rows = [storing, sending, opening]
        return try FigureRow.show(rows, asJSON: arguments.has("--json"))
    }
}
