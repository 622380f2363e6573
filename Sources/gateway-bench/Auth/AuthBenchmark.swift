import BenchmarkClients
import Glibc

/// `gateway-bench auth`: what tokens cost.
struct AuthBenchmark {
    private var isJSON = false
    private var rounds = 5
    private var calls = 200_000
    private var waiters = 10_000
    private var keys = 1_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        isJSON = try CountOptions.read(arguments, most: 10_000_000) { option, count in
            switch option {
            case "--rounds": rounds = count
            case "--calls": calls = count
            case "--waiters": waiters = count
            case "--keys": keys = count
            default: return false
            }
            return true
        }
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
