import BenchmarkClients
import CommandArguments

/// `gateway-bench generator`: what generated code takes to read and write JSON.
struct GeneratorBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 25)"),
        OptionSpec("--kilobytes", nil, .text("N"), help: "how much JSON (default: 1000)"),
    ]

    private var isJSON = false
    private var rounds = 25
    private var kilobytes = 1_000

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        rounds = try arguments.number("--rounds", in: 1...100_000) ?? rounds
        kilobytes = try arguments.number("--kilobytes", in: 1...100_000) ?? kilobytes
    }

    func run() throws {
        Terminal.progress("generated code and Foundation's coders: \(rounds) rounds of \(kilobytes) kB")
        var rows = try CodecCost(kilobytes: kilobytes, rounds: rounds).measure()
        rows.append(try CodecMemory(kilobytes: kilobytes).measure())
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
    }
}
