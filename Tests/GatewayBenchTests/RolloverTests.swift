import Foundation
import GatewayTesting
import Testing

/// Tokens that end under the highest rate of calls that the machine gives: no call fails, no 401 is seen, and one
/// token is asked for in each lifetime. `scripts/soak.sh` does it ten times as long.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RolloverTests {
    private struct Report: Decodable {
        let requests: Int
        let failed_calls: Int
        let unauthorized_at_server: Int
        let unauthorized_at_clients: Int
        let token_requests: Int
        let tokens_granted: Int
        let refreshes_at_clients: Int
        let adopted: Int
        let longest_call_ms: Double
        let failures: [String]
    }

    private static let lifetimes = max(2, SoakScale.rounds(6))
    private static let redis = ProcessInfo.processInfo.environment["GATEWAY_TEST_REDIS"]

    private func report(_ options: [String]) async throws -> Report {
        let run = try await BenchCommand.run(
            ["rollover", "--json", "--seconds", "2", "--lifetimes", "\(Self.lifetimes)"] + options)
        #expect(run.status == 0, "\(run.out)\n\(run.error)")
        return try JSONDecoder().decode(Report.self, from: Data(run.out.utf8))
    }

    private func check(_ report: Report) {
        #expect(report.failures == [])
        #expect(report.requests > 100 * Self.lifetimes)
        #expect(report.failed_calls == 0)
        #expect(report.unauthorized_at_server == 0 && report.unauthorized_at_clients == 0)
        #expect(report.token_requests == Self.lifetimes + 1)
        #expect(report.tokens_granted == Self.lifetimes + 1)
        #expect(report.refreshes_at_clients == Self.lifetimes + 1)
    }

    @Test func oneProcessRollsOver() async throws { check(try await report([])) }

    /// Both kinds of store at once: each with four processes, so that the processor is never idle.
    @Test func processesThatShareAStoreRollOver() async throws {
        // Half the connections each, as one run has with four processes.
        let shared = ["--processes", "4", "--concurrency", "16"]
        async let files = report(shared + ["--store", "file"])
        if let redis = Self.redis {
            let port = redis.split(separator: ":").last.map(String.init) ?? ""
            let report = try await report(shared + ["--store", "redis:\(port)"])
            check(report)
            checkAdoptions(report)
        }
        let report = try await files
        check(report)
        checkAdoptions(report)
    }

    /// Each token is adopted by the other three processes. One that the machine stops for long may miss some.
    private func checkAdoptions(_ report: Report) {
        #expect(report.adopted >= (report.longest_call_ms < 500 ? 3 : 2) * Self.lifetimes)
    }

    /// What would go unnoticed is found: a token that a server ends early.
    @Test func theMeasurementTellsWhatItSees() async throws {
        let run = try await BenchCommand.run([
            "rollover", "--json", "--seconds", "2", "--lifetimes", "1", "--revoke",
        ])
        #expect(run.status == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(run.out.utf8))
        #expect(report.unauthorized_at_server > 0 && report.unauthorized_at_clients > 0)
        #expect(report.failures.contains { $0.contains("401") })
    }
}
