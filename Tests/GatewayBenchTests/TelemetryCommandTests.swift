import Foundation
import TestTiers
import Testing

/// `gateway-bench telemetry`, a short run of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TelemetryCommandTests {
    /// How long a call takes is not judged here.
    @Test(
        .waits("a viewer has no calls for 2 s, and the output of the log is blocked for 1 s"),
        .long("calls are made meanwhile"))
    func whatIsDroppedIsCounted() async throws {
        let run = try await BenchCommand.run(["telemetry", "--json", "--rounds", "1", "--calls", "100"])
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(run.status == (report.isEachGoalMet ? 0 : 1), "\(run.out)")
        #expect(report.measurements.map(\.name) == ["cost", "dashboard", "blocked"])
        let cost = try #require(report.measurements.first?.figures)
        for sink in [
            "empty", "metrics", "log", "log_sampled", "both", "traces_unsampled", "traces", "traces_all",
        ] {
            #expect(cost["ns_added_\(sink)"] != nil)
        }
        // Under a sanitizer, allocations are not counted.
        #expect(cost["event_allocations_absent"]?.met != false)
        let dashboard = try #require(report.measurements.dropFirst().first?.figures)
        for sink in ["dashboard", "dashboard_watched"] { #expect(dashboard["ns_added_\(sink)"] != nil) }
        #expect(dashboard["viewer_frames"]?.met == true && dashboard["ms_viewer_second"] != nil)
        let blocked = try #require(report.measurements.last?.figures)
        #expect(blocked["uncounted"]?.met == true && blocked["slowest_ms"]?.met != nil)
    }

    @Test(arguments: [["--nonsense"], ["--rounds", "0"], ["--calls"]])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(["telemetry"] + arguments)
        #expect(run.status == 2 && run.error.contains("--help"))
    }
}
