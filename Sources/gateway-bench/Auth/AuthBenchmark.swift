import BenchmarkClients
import CommandArguments
import Glibc

/// `gateway-bench auth`: what tokens cost.
enum AuthBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 5)"),
        OptionSpec(
            "--calls", nil, .text("N"),
            help: "calls in each round (default: 200000), and a fortieth of it with proofs"),
        OptionSpec(
            "--waiters", nil, .text("N"),
            help: "callers that wait for one refresh (default: 10000)"),
        OptionSpec("--keys", nil, .text("N"), help: "keys that get a token at once (default: 1000)"),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no goal is missed.
    static func run(_ arguments: ParsedArguments) async throws -> Bool {
        let rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? 5
        let calls = try arguments.number("--calls", in: 1...10_000_000) ?? 200_000
        let waiters = try arguments.number("--waiters", in: 1...10_000_000) ?? 10_000
        let keys = try arguments.number("--keys", in: 1...10_000_000) ?? 1_000
        Children.stopOnSignals()
        Descriptors.raiseLimit()
        var rows: [FigureRow] = []
        Terminal.progress("token layer: \(rounds) rounds of \(calls) calls")
        rows.append(try await TokenLayerCost(calls: calls, rounds: rounds).measure())
        let proofs = max(1, calls / 40)
        Terminal.progress("proofs: \(rounds) rounds of \(proofs) calls")
        rows.append(try await ProofCost(calls: proofs, rounds: rounds).measure())
        Terminal.progress("\(waiters) waiters on one refresh: \(rounds) rounds")
        rows.append(try await WaiterBurst(waiters: waiters, rounds: rounds).measure())
        Terminal.progress("\(keys) keys at once: \(rounds) rounds")
        rows.append(try KeyBurst(keys: keys, rounds: rounds).measure())
        return try FigureRow.show(rows, asJSON: arguments.has("--json"))
    }
}
