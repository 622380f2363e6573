import BenchmarkClients
import CommandArguments
import Glibc

/// `gateway-bench auth`: what tokens cost.
struct AuthBenchmark {
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

    private var isJSON = false
    private var rounds = 5
    private var calls = 200_000
    private var waiters = 10_000
    private var keys = 1_000

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        rounds = try arguments.number("--rounds", in: 1...10_000_000) ?? rounds
        calls = try arguments.number("--calls", in: 1...10_000_000) ?? calls
        waiters = try arguments.number("--waiters", in: 1...10_000_000) ?? waiters
        keys = try arguments.number("--keys", in: 1...10_000_000) ?? keys
    }

    func run() async throws {
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
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
    }
}
