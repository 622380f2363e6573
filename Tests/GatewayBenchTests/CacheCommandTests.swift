import Foundation
import Testing

/// `gateway-bench cache`, a short run of it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CacheCommandTests {
    @Test func noBoundIsBroken() async throws {
        let run = try await BenchCommand.run([
            "cache", "--json", "--rounds", "1", "--calls", "100", "--mebibytes", "80",
        ])
        #expect(run.status == 0, "\(run.out)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["cost", "limit"])
        let cost = try #require(report.measurements.first?.figures)
        for name in ["direct", "absent", "memory", "stale", "disk"] { #expect(cost["ns_\(name)"] != nil) }
        let limit = try #require(report.measurements.last?.figures)
        // More was offered than there is room for.
        #expect((limit["evicted_memory"]?.value ?? 0) > 0 && (limit["evicted_disk"]?.value ?? 0) > 0)
        #expect(limit["mib_memory"]?.met == true && limit["mib_files_peak"]?.met == true)
        #expect((limit["mib_memory"]?.value ?? 0) > 60 && (limit["mib_files_peak"]?.value ?? 0) > 60)
    }

    @Test(arguments: [["--nonsense"], ["--rounds", "0"], ["--calls"]])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(["cache"] + arguments)
        #expect(run.status == 2 && run.error.contains("--help"))
    }
}
