import Foundation
import Testing

/// `gateway-bench resilience`, a short run of it: the outages, their bounds and the exit status.
@Suite(.serialized, .timeLimit(.minutes(3))) struct ResilienceCommandTests {
    private static let outages = ["refused", "black-hole", "fast-503", "hang"]

    @Test(arguments: outages) func noBoundIsBroken(outage: String) async throws {
        let run = try await BenchCommand.run([
            "resilience", "--json", "--seconds", "1", "--workload", outage,
        ])
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["\(outage).budget", "\(outage).breaker"])
        for measurement in report.measurements {
            let figures = measurement.figures
            #expect(figures["attempts"]?.goal?.hasPrefix("≤ ") == true)
            // An open loop: the load stays, whatever becomes of the calls.
            #expect((figures["offered"]?.value ?? 0) >= 450)
            let hasBreaker = measurement.name.hasSuffix(".breaker")
            #expect(((figures["attempts"]?.value ?? 0) >= 450) != hasBreaker)
            for name in ["open_after_s", "attempts_after_window"] {
                #expect((figures[name]?.goal != nil) == hasBreaker, "\(name)")
            }
            #expect(figures["served_before"]?.met == true && figures["served_after"]?.met == true)
            #expect((figures["served_during"]?.value ?? 100) < 5)
            let endsByDeadline = outage == "hang" || outage == "black-hole"
            #expect((figures["late_max_ms"] != nil) == endsByDeadline)
            for (name, figure) in figures { #expect(figure.met != false, "\(name): \(figure)") }
        }
        #expect(run.status == 0, "\(run.error)")
    }

    @Test func protectionsCostNoAllocation() async throws {
        let run = try await BenchCommand.run([
            "resilience", "--json", "--workload", "cost", "--rounds", "3", "--calls", "2000",
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

    @Test func hedgesSaveMoreThanTheyCost() async throws {
        let run = try await BenchCommand.run(["resilience", "--json", "--workload", "hedging"])
        #expect(run.status == 0, "\(run.out)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        let figures = try #require(report.measurements.first?.figures)
        for name in ["extra_sends_hedging", "new_connections_hedging"] {
            #expect(figures[name]?.met == true, "\(name)")
        }
        // Without optimization there is no bound of time.
        #expect((figures["p99_ms_hedging"]?.value ?? 1_000) < (figures["p99_ms_absent"]?.value ?? 0))
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
