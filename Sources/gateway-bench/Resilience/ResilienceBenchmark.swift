import BenchmarkClients

/// `gateway-bench resilience`: what outages do to calls, and calls to a server that fails.
struct ResilienceBenchmark {
    private var isJSON = false
    private var seconds = 30
    private var rate = 500
    private var rounds = 11
    private var calls = 20_000
    private var outages = Outage.allCases
    private var measuresCost = true
    private var measuresHedging = true

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        var chosen: [String] = []
        while let option = arguments.popFirst() {
            switch option {
            case "--json":
                isJSON = true
                continue
            case "--quick":
                seconds = 2
                continue
            default: break
            }
            guard let value = arguments.popFirst() else {
                throw .usage("'\(option)' is unknown or has no value")
            }
            switch option {
            case "--seconds": seconds = try Self.count(value, option, 1...3600)
            case "--rate": rate = try Self.count(value, option, 10...5000)
            case "--rounds": rounds = try Self.count(value, option, 1...1000)
            case "--calls": calls = try Self.count(value, option, 1...10_000_000)
            case "--workload":
                guard ["cost", "hedging"].contains(value) || Outage(rawValue: value) != nil else {
                    throw .usage("unknown workload '\(value)'")
                }
                chosen.append(value)
            default: throw .usage("unknown option '\(option)'")
            }
        }
        guard !chosen.isEmpty else { return }
        outages = Outage.allCases.filter { chosen.contains($0.rawValue) }
        measuresCost = chosen.contains("cost")
        measuresHedging = chosen.contains("hedging")
    }

    private static func count(
        _ value: String, _ option: String, _ range: ClosedRange<Int>
    ) throws(BenchmarkFailure) -> Int {
        guard let count = Int(value), range.contains(count) else {
            throw .usage("'\(option)' must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return count
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
