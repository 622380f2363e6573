import BenchmarkClients
import CommandArguments

/// `gateway-bench resilience`: what outages do to calls, and calls to a server that fails.
enum ResilienceBenchmark {
    static let options = [
        OptionSpec("--json", help: "print JSON instead of a table"),
        OptionSpec("--quick", help: "outages of 2 s"),
        OptionSpec("--seconds", nil, .text("N"), help: "how long each outage lasts (default: 30)"),
        OptionSpec("--rate", nil, .text("N"), help: "calls a second (default: 500)"),
        OptionSpec(
            "--workload", nil, .text("NAME"), repeats: true,
            help: "refused, black-hole, fast-503, hang, cost or hedging; may be given several times",
            "(default: all)"),
        OptionSpec("--rounds", nil, .text("N"), help: "rounds of cost (default: 11)"),
        OptionSpec("--calls", nil, .text("N"), help: "calls in each round of cost (default: 20000)"),
    ]

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    static func run(_ arguments: ParsedArguments) async throws -> Bool {
        let seconds = try arguments.number("--seconds", in: 1...3600) ?? (arguments.has("--quick") ? 2 : 30)
        let rate = try arguments.number("--rate", in: 10...5000) ?? 500
        let rounds = try arguments.number("--rounds", in: 1...1000) ?? 11
        let calls = try arguments.number("--calls", in: 1...10_000_000) ?? 20_000
        let workloads = Outage.allCases.map(\.rawValue) + ["cost", "hedging"]
        let chosen = try arguments.choices("--workload", of: workloads, named: { $0 })
        func isChosen(_ workload: String) -> Bool { chosen.isEmpty || chosen.contains(workload) }
        Descriptors.raiseLimit()
        let plan = OutagePlan(outage: Double(seconds), rate: rate)
        var rows: [FigureRow] = []
        for outage in Outage.allCases where isChosen(outage.rawValue) {
            for protection in Protection.allCases {
                Terminal.progress("\(outage.title), protection: \(protection.rawValue): \(seconds) s")
                rows.append(
                    try await OutageRun(outage: outage, protection: protection, plan: plan).measure())
            }
        }
        if isChosen("cost") {
            Terminal.progress("cost of protections: \(rounds) rounds of \(calls) calls")
            rows.append(try await ProtectionCost(calls: calls, rounds: rounds).measure())
        }
        if isChosen("hedging") {
            Terminal.progress("hedging")
            rows.append(try await HedgingRun().measure())
        }
        return try FigureRow.show(rows, asJSON: arguments.has("--json"))
    }
}
