import Foundation
import Testing

/// What `gateway-bench auth` promises to those who read its figures. How fast anything is, is not tested.
@Suite(.serialized, .timeLimit(.minutes(2))) struct AuthCommandTests {
    private static let small = ["--rounds", "2", "--calls", "500", "--waiters", "300", "--keys", "40"]

    @Test func countsAreRight() async throws {
        let run = try await BenchCommand.run(["auth", "--json"] + Self.small)
        #expect(run.status == 0, "\(run.error)")
        let report = try JSONDecoder().decode(FigureReport.self, from: Data(run.out.utf8))
        #expect(report.measurements.map(\.name) == ["token-layer", "proof", "waiters", "keys"])
        #expect(report.measurements.allSatisfy { $0.rounds == 2 })
        let figures = Dictionary(uniqueKeysWithValues: report.measurements.map { ($0.name, $0.figures) })
        for (name, figure, value) in [
            ("waiters", "served", 300.0), ("waiters", "token_requests", 1), ("keys", "served", 40),
            ("keys", "token_requests", 40),
        ] {
            let found = try #require(figures[name]?[figure])
            #expect(found.value == value && found.met == true && found.goal == "= \(Int(value))")
        }
        for (name, figure, goal) in [
            ("token-layer", "ns_per_call", "≤ 1000"), ("waiters", "last_resumed_ms", "≤ 50"),
            ("proof", "us_per_proof", "≤ 100"),
        ] {
            let found = try #require(figures[name]?[figure])
            #expect(found.goal == goal && found.met != nil)
        }
        for (name, figure) in [
            ("token-layer", "ns_with"), ("token-layer", "ns_without"), ("keys", "wall_ms"),
            ("keys", "peak_rss_mib"),
        ] {
            let found = try #require(figures[name]?[figure])
            #expect(found.value > 0 && found.goal == nil && found.met == nil)
        }
        #expect(figures["waiters"]?["bytes_per_waiter"] != nil)
        #expect(figures["waiters"]?["bytes_of_task_alone"] != nil)
        #expect(figures["keys"]?["heap_bytes_per_key"] != nil)
    }

    @Test func theTableNamesGoalsAndVerdicts() async throws {
        let run = try await BenchCommand.run(["auth"] + Self.small)
        #expect(run.status == 0, "\(run.error)")
        let lines = run.out.split(separator: "\n")
        let goals = lines.filter { $0.contains("≤") || $0.contains("= ") }
        #expect(goals.count == 7)
        for line in goals { #expect(line.hasSuffix("pass") || line.hasSuffix("MISS"), "\(line)") }
        #expect(!run.out.contains("\u{1B}"))
    }

    @Test(arguments: [
        ["auth", "--nonsense"], ["auth", "--rounds", "0"], ["auth", "--keys"], ["auth", "--waiters", "many"],
        ["rollover", "--nonsense", "1"], ["rollover", "--lifetimes", "0"], ["rollover", "--seconds", "1"],
        ["rollover", "--store", "nonsense"], ["rollover", "--store", "redis:nonsense"],
        ["rollover", "--processes", "2"], ["rollover", "--rate"],
    ])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(arguments)
        #expect(run.status == 2)
        #expect(run.error.contains("--help"))
    }
}
