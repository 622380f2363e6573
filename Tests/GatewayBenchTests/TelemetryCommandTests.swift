import Foundation
import Testing

/// `gateway-bench telemetry`, a short run of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TelemetryCommandTests {
    @Test func noBoundIsBroken() async throws {
        let run = try await BenchCommand.run(["telemetry", "--json", "--rounds", "3", "--calls", "2000"])
        #expect(run.status == 0, "\(run.out)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["cost", "blocked"])
        let cost = try #require(report.measurements.first?.figures)
        for sink in ["empty", "metrics", "log", "log_sampled", "both"] {
            #expect(cost["ns_added_\(sink)"] != nil)
        }
        let blocked = try #require(report.measurements.last?.figures)
        #expect(blocked["uncounted"]?.met == true && blocked["slowest_ms"]?.met == true)
        // The output was blocked while there was more than it had room for.
        #expect((blocked["dropped"]?.value ?? 0) > 0)
    }

    @Test(arguments: [["--nonsense"], ["--rounds", "0"], ["--calls"]])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(["telemetry"] + arguments)
        #expect(run.status == 2 && run.error.contains("--help"))
    }
}
