import Foundation

/// `gateway-bench auth`: what tokens cost.
struct AuthBenchmark {
    private var isJSON = false
    private var rounds = 5
    private var calls = 200_000
    private var waiters = 10_000
    private var keys = 1_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            guard let count = arguments.popFirst().flatMap({ Int($0) }), (1...10_000_000).contains(count)
            else { throw .usage("'\(option)' is unknown, or wants a number from 1") }
            switch option {
            case "--rounds": rounds = count
            case "--calls": calls = count
            case "--waiters": waiters = count
            case "--keys": keys = count
            default: throw .usage("unknown option '\(option)'")
            }
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
        print(
            isJSON ? try FigureRow.json(rows) : FigureRow.table(rows, hasColours: Terminal.isOutputTerminal))
    }
}
