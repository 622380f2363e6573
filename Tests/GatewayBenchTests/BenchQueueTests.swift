import Foundation
import Testing

/// `gateway-bench queue`, a short run of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct BenchQueueTests {
    @Test func allFiguresAreThere() async throws {
        let run = try await BenchCommand.run([
            "queue", "--json", "--rounds", "1", "--commits", "8", "--requests", "200", "--entries", "3000",
        ])
        #expect(run.status == 0, "\(run.out)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["storing", "sending", "opening"])
        let names = report.measurements.map { Set($0.figures.keys) }
        #expect(
            names.first?.isSuperset(of: ["commits_per_second", "ratio_1_caller", "ratio_64_callers"]) == true)
        #expect(names.dropFirst().first?.isSuperset(of: ["calls_per_second", "ratio_drain"]) == true)
        #expect(names.last?.isSuperset(of: ["ms_open", "mib_more_than_1000"]) == true)
        for figure in report.measurements.dropLast().flatMap(\.figures.values) { #expect(figure.value > 0) }
    }

    @Test(arguments: [["--nonsense"], ["--rounds", "0"], ["--commits"]])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(["queue"] + arguments)
        #expect(run.status == 2 && run.error.contains("--help"))
    }
}
