import BenchmarkClients
import CommandArguments

/// `gateway-bench telemetry`: what metrics and logs take.
struct TelemetryBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 11)"),
        OptionSpec("--calls", nil, .text("N"), help: "calls in each round (default: 20000)"),
    ]

    private var isJSON = false
    private var rounds = 11
    private var calls = 20_000

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? rounds
        calls = try arguments.number("--calls", in: 1...10_000_000) ?? calls
    }

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    func run() async throws -> Bool {
        Terminal.progress("cost of telemetry: \(rounds) rounds of \(calls) calls")
        let rows = [
            try await TelemetryCost(calls: calls, rounds: rounds).measure(),
            try await BlockedSink().measure(),
        ]
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
        return rows.allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }
}
