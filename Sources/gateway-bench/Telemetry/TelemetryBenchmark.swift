import BenchmarkClients
import CommandArguments

/// `gateway-bench telemetry`: what metrics, logs, traces and a dashboard take.
enum TelemetryBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 11)"),
        OptionSpec("--calls", nil, .text("N"), help: "calls in each round (default: 20000)"),
        OptionSpec(
            "--collector", nil, .text("SECONDS"),
            help:
                "also 10 pairs of so many seconds at 10000 calls a second, with a collector that answers and one that hangs"
        ),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    static func run(_ arguments: ParsedArguments) async throws -> Bool {
        let rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? 11
        let calls = try arguments.number("--calls", in: 1...10_000_000) ?? 20_000
        Terminal.progress("cost of telemetry: \(rounds) rounds of \(calls) calls")
        let seconds = try arguments.number("--collector", in: 1...3_600)
        var rows = [
            try await TelemetryCost(calls: calls, rounds: rounds).measure(),
            try await DashboardCost(calls: calls, rounds: rounds).measure(),
            try await BlockedSink().measure(),
        ]
        if let seconds {
            Terminal.progress("a collector that hangs: 20 runs of \(seconds) s")
            rows.append(try await HangingCollector(seconds: Double(seconds)).measure())
        }
        return try FigureRow.show(rows, asJSON: arguments.has("--json"))
    }
}
