import BenchmarkClients

/// `gateway-bench generator`: what generated code takes to read and write JSON.
struct GeneratorBenchmark {
    private var isJSON = false
    private var rounds = 25
    private var kilobytes = 1_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        isJSON = try CountOptions.read(arguments, most: 100_000) { option, count in
            switch option {
            case "--rounds": rounds = count
            case "--kilobytes": kilobytes = count
            default: return false
            }
            return true
        }
    }

    func run() throws {
        Terminal.progress("generated code and Foundation's coders: \(rounds) rounds of \(kilobytes) kB")
        var rows = try CodecCost(kilobytes: kilobytes, rounds: rounds).measure()
        rows.append(try CodecMemory(kilobytes: kilobytes).measure())
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
    }
}
