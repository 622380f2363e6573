import Foundation
import Testing

/// What `gateway-bench generator` promises to those who read its figures. How fast anything is, is not tested.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GeneratorCommandTests {
    private static let small = ["--rounds", "2", "--kilobytes", "20"]

    /// It ends with 1 where generated code and Foundation's coders do not read and write the same values.
    @Test func theSameValuesAreReadAndWritten() async throws {
        let run = try await BenchCommand.run(["generator", "--json"] + Self.small)
        #expect(run.status == 0, "\(run.error)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["decode", "encode", "memory"])
        for measurement in report.measurements.prefix(2) {
            #expect(measurement.rounds == 2)
            let ratio = try #require(measurement.figures["times_as_fast"])
            #expect(ratio.goal == "≥ 3" && ratio.met == (ratio.value >= 3))
            for name in ["ms", "foundation_ms", "mb_per_second", "foundation_mb_per_second"] {
                #expect((measurement.figures[name]?.value ?? 0) > 0, "\(name)")
            }
        }
        for name in ["generated_peak_rss_mib", "foundation_peak_rss_mib"] {
            #expect((report.measurements.last?.figures[name]?.value ?? 0) > 0, "\(name)")
        }
    }

    @Test func theTableNamesGoalsAndVerdicts() async throws {
        let run = try await BenchCommand.run(["generator"] + Self.small)
        #expect(run.status == 0, "\(run.error)")
        let goals = run.out.split(separator: "\n").filter { $0.contains("≥") }
        #expect(goals.count == 2)
        for line in goals { #expect(line.hasSuffix("pass") || line.hasSuffix("MISS"), "\(line)") }
    }

    @Test(arguments: [
        ["generator", "--nonsense"], ["generator", "--rounds", "0"], ["generator", "--kilobytes"],
        ["generator", "--kilobytes", "many"], ["generator", "--nonsense", "3"],
    ])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(arguments)
        #expect(run.status == 2)
        #expect(run.error.contains("--help"))
    }

    @Test func helpIsNoError() async throws {
        let run = try await BenchCommand.run(["generator", "--help"])
        #expect(run.status == 0 && run.out.contains("gateway-bench generator") && run.error.isEmpty)
    }
}
