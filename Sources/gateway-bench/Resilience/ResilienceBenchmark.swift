import BenchmarkClients
import CommandArguments

/// `gateway-bench resilience`: what outages do to calls, and calls to a server that fails.
struct ResilienceBenchmark {
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

    private var isJSON = false
    private var seconds = 30
    private var rate = 500
    private var rounds = 11
    private var calls = 20_000
    private var outages = Outage.allCases
    private var measuresCost = true
    private var measuresHedging = true

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isJSON = arguments.has("--json")
        seconds = try arguments.number("--seconds", in: 1...3600) ?? (arguments.has("--quick") ? 2 : seconds)
        rate = try arguments.number("--rate", in: 10...5000) ?? rate
        rounds = try arguments.number("--rounds", in: 1...1000) ?? rounds
        calls = try arguments.number("--calls", in: 1...10_000_000) ?? calls
        let workloads = Outage.allCases.map(\.rawValue) + ["cost", "hedging"]
        let chosen = try arguments.choices("--workload", of: workloads, named: { $0 })
        guard !chosen.isEmpty else { return }
        outages = Outage.allCases.filter { chosen.contains($0.rawValue) }
        measuresCost = chosen.contains("cost")
        measuresHedging = chosen.contains("hedging")
    }

    /// Prints the figures.
    ///
    /// - Returns: whether no bound is broken.
    func run() async throws -> Bool {
        Descriptors.raiseLimit()
        let plan = OutagePlan(outage: Double(seconds), rate: rate)
        var rows: [FigureRow] = []
        for outage in outages {
            for protection in Protection.allCases {
                Terminal.progress("\(outage.title), protection: \(protection.rawValue): \(seconds) s")
                rows.append(
                    try await OutageRun(outage: outage, protection: protection, plan: plan).measure())
            }
        }
        if measuresCost {
            Terminal.progress("cost of protections: \(rounds) rounds of \(calls) calls")
            rows.append(try await ProtectionCost(calls: calls, rounds: rounds).measure())
        }
        if measuresHedging {
            Terminal.progress("hedging")
            rows.append(try await HedgingRun().measure())
        }
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
        return rows.allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }
}
