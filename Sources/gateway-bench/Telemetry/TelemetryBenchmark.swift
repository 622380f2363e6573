import BenchmarkClients

/// `gateway-bench telemetry`: what metrics and logs take.
struct TelemetryBenchmark {
    private var isJSON = false
    private var rounds = 11
    private var calls = 20_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            guard ["--rounds", "--calls"].contains(option), let value = arguments.popFirst() else {
                throw .usage("'\(option)' is unknown or has no value")
            }
            guard let count = Int(value), (1...10_000_000).contains(count) else {
                throw .usage("'\(option)' must be a number from 1 to 10000000")
            }
            if option == "--rounds" { rounds = count } else { calls = count }
        }
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
