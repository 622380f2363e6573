import Foundation

/// `gateway-bench resilience`: what outages do to calls, and calls to a server that fails.
struct ResilienceBenchmark {
    private var isJSON = false
    private var seconds = 30
    private var rate = 500
    private var outages = Outage.allCases

    init(_ arguments: [String]) throws(BenchmarkFailure) {
        var arguments = arguments[...]
        var chosen: [Outage] = []
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
            case "--outage":
                guard let outage = Outage(rawValue: value) else { throw .usage("unknown outage '\(value)'") }
                chosen.append(outage)
            default: throw .usage("unknown option '\(option)'")
            }
        }
        if !chosen.isEmpty { outages = Outage.allCases.filter(chosen.contains) }
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
        Terminal.endProgress()
        try FigureRow.show(rows, asJSON: isJSON)
        return rows.allSatisfy { $0.figures.allSatisfy { $0.isMet != false } }
    }
}
