import Foundation
import TestTiers
import Testing

/// `gateway-bench resilience`, a short run of it: its figures, bounds and exit status. `scripts/soak.sh` runs the whole.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ResilienceCommandTests {
    /// The bounds themselves are about time; here it is only that they are judged.
    @Test(.waits("two outages of 1 s, the shortest that the command makes"))
    func aBrokenBoundIsTheExitStatus() async throws {
        let run = try await BenchCommand.run([
            "resilience", "--json", "--seconds", "1", "--rate", "20", "--workload", "hang",
        ])
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["hang.budget", "hang.breaker"])
        for measurement in report.measurements {
            let figures = measurement.figures
            #expect(figures["attempts"]?.goal?.hasPrefix("≤ ") == true)
            let hasBreaker = measurement.name.hasSuffix(".breaker")
            for name in ["open_after_s", "attempts_after_window"] {
                #expect((figures[name]?.goal != nil) == hasBreaker, "\(name)")
            }
            for name in ["offered", "served_before", "served_during", "served_after", "late_max_ms"] {
                #expect(figures[name] != nil, "\(name)")
            }
        }
        #expect(run.status == (report.isEachGoalMet ? 0 : 1), "\(run.error)")
    }

    /// `bench.protections-free`
    @Test func protectionsCostNoAllocation() async throws {
        let run = try await BenchCommand.run([
            "resilience", "--json", "--workload", "cost", "--rounds", "1", "--calls", "100",
        ])
        #expect(run.status == 0, "\(run.out)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        let figures = try #require(report.measurements.first?.figures)
        for protection in ["absent", "budget", "breaker", "gate", "bulkhead", "breaker_bulkhead"] {
            #expect((figures["ns_\(protection)"]?.value ?? 0) > 0)
        }
        // Under a sanitizer, allocations are not counted.
        let added = figures.filter { $0.key.hasPrefix("alloc_added_") }
        #expect(added.count == (figures["allocations_absent"] == nil ? 0 : 5))
        #expect(added.values.allSatisfy { $0.met == true }, "\(added)")
    }

    @Test(arguments: [
        ["--nonsense"], ["--seconds", "0"], ["--rate", "9"], ["--workload"], ["--workload", "nonsense"],
        ["--calls", "0"],
    ])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(["resilience"] + arguments)
        #expect(run.status == 2 && run.error.contains("--help"))
    }
}
