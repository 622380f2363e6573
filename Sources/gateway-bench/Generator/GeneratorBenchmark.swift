import BenchmarkClients
import CommandArguments

/// `gateway-bench generator`: what generated code takes to read and write JSON.
enum GeneratorBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds (default: 25)"),
        OptionSpec("--kilobytes", nil, .text("N"), help: "how much JSON (default: 1000)"),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no goal is missed.
    static func run(_ arguments: ParsedArguments) throws -> Bool {
        let rounds = try arguments.number("--rounds", in: 1...100_000) ?? 25
        let kilobytes = try arguments.number("--kilobytes", in: 1...100_000) ?? 1_000
        Terminal.progress("generated code and Foundation's coders: \(rounds) rounds of \(kilobytes) kB")
        var rows = try CodecCost(kilobytes: kilobytes, rounds: rounds).measure()
        rows.append(try CodecMemory(kilobytes: kilobytes).measure())
        return try FigureRow.show(rows, asJSON: arguments.has("--json"))
    }
}
