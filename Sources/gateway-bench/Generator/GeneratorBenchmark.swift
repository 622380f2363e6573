/// `gateway-bench generator`: what generated code takes to read and write JSON.
struct GeneratorBenchmark {
    private var isJSON = false
    private var rounds = 25
    private var kilobytes = 1_000

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        while let option = arguments.popFirst() {
            if option == "--json" {
                isJSON = true
                continue
            }
            guard let count = arguments.popFirst().flatMap({ Int($0) }), (1...100_000).contains(count)
            else { throw .usage("'\(option)' is unknown, or wants a number from 1") }
            switch option {
            case "--rounds": rounds = count
            case "--kilobytes": kilobytes = count
            default: throw .usage("unknown option '\(option)'")
            }
        }
    }

    func run() throws {
        Terminal.progress("generated code and Foundation's coders: \(rounds) rounds of \(kilobytes) kB")
        var rows = try CodecCost(kilobytes: kilobytes, rounds: rounds).measure()
        rows.append(try CodecMemory(kilobytes: kilobytes).measure())
        Terminal.endProgress()
        print(
            isJSON ? try FigureRow.json(rows) : FigureRow.table(rows, hasColours: Terminal.isOutputTerminal))
    }
}
