import Foundation
import TestTiers
import Testing

/// The figures and exit codes of `gateway-bench`. Speed is not tested.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BenchCommandTests {
    private struct Report: Decodable {
        struct Workload: Decodable {
            let name: String
            let concurrency: Int
            let clients: [String: [String: Double]]
        }
        let workloads: [Workload]
    }

    /// One small round of a workload, as JSON.
    private func report(_ workload: String, _ options: [String] = []) async throws -> Report.Workload {
        let run = try await BenchCommand.run(
            [
                "http", "--json", "--workload", workload, "--concurrency", "4", "--requests", "100",
                "--rounds", "1",
            ]
                + options)
        #expect(run.status == 0, "\(run.error)")
        let report = try JSONDecoder().decode(Report.self, from: Data(run.out.utf8))
        try #require(report.workloads.count == 1)
        return report.workloads[0]
    }

    /// The figures of every client.
    private static let figures: Set<String> = [
        "requests_per_second", "cpu_us_per_request", "p50_ms", "p99_ms", "peak_rss_mib", "errors",
    ]

    @Test func smallRequests() async throws {
        let workload = try await report("small")
        #expect(workload.name == "small" && workload.concurrency == 4)
        #expect(Set(workload.clients.keys) == ["c-libcurl", "c-bearer", "transport", "stack", "urlsession"])
        for (name, figures) in workload.clients {
            #expect(Set(figures.keys).isSuperset(of: Self.figures), "\(name): \(figures.keys.sorted())")
            #expect(figures["errors"] == 0 && (figures["requests_per_second"] ?? 0) > 0)
            #expect(figures["mib_per_second"] == nil)
        }
        // Without a sanitiser, the allocations of libcurl itself are known too.
        let allocations = workload.clients.mapValues { $0["allocations_per_request"] ?? 0 }
        #expect((allocations["c-libcurl"] ?? 0 > 5) == (allocations["transport"] ?? 0 > 5))
        #expect((allocations["c-bearer"] ?? 0 > 5) == (allocations["transport"] ?? 0 > 5))
    }

    /// Foundation's `Process` calls `select`, which overwrites memory with descriptors above 1,024, as the idle requests
    /// have, and its libraries would be part of the memory of each client. The names of the libraries that a program needs
    /// are in its dynamic section.
    @Test func startsChildrenWithoutFoundation() throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: BenchCommand.path), options: .alwaysMapped)
        #expect(program.range(of: Data("libFoundationEssentials.so".utf8)) != nil)
        #expect(program.range(of: Data("libFoundation.so".utf8)) == nil)
        #expect(program.range(of: Data("libFoundationNetworking.so".utf8)) == nil)
    }

    /// Children are started, read and waited for with descriptors above 1,024.
    @Test func startsChildrenWithManyDescriptors() async throws {
        let script = """
            for ((i = 3; i < 1200; i++)); do eval "exec $i</dev/null" || exit 3; done; exec "$0" "$@"
            """
        let run = try await BenchCommand.run(
            [
                "-c", script, BenchCommand.path, "http", "--json", "--workload", "small", "--requests", "100",
                "--rounds", "2", "--concurrency", "4", "--client", "c-libcurl",
            ], program: "/bin/bash")
        #expect(run.status == 0, "\(run.error)")
    }

    @Test func bulkReportsItsThroughput() async throws {
        let workload = try await report("download-1m", ["--client", "transport", "--client", "c-libcurl"])
        #expect(Set(workload.clients.keys) == ["c-libcurl", "transport"])
        for figures in workload.clients.values {
            let bytes = try #require(figures["mib_per_second"])
            let requests = try #require(figures["requests_per_second"])
            #expect(bytes > 0 && abs(bytes / requests - 1) < 0.01)
            #expect(figures["errors"] == 0)
        }
    }

    @Test func helpIsNoError() async throws {
        for arguments in [["--help"], ["-h"], ["http", "--help"], ["soak", "--help"], ["auth", "--help"]] {
            let run = try await BenchCommand.run(arguments)
            #expect(run.status == 0 && run.out.contains("usage: gateway-bench") && run.error.isEmpty)
            #expect(run.out.contains("--json") && run.out.contains("Exit status"))
        }
    }

    @Test(arguments: [
        [], ["nonsense"], ["http", "--nonsense"], ["http", "--workload", "nonsense"], ["http", "--workload"],
        ["http", "--rounds", "0"], ["http", "--requests", "many"], ["http", "--client", "nonsense"],
        ["soak", "--requests", "1"], ["soak", "--nonsense", "5000"], ["soak", "--streams", "99"],
    ])
    func wrongUsageIsTwo(arguments: [String]) async throws {
        let run = try await BenchCommand.run(arguments)
        #expect(run.status == 2)
        #expect((run.out + run.error).contains("--help"))
    }

    /// An unreachable server is an error, not a figure of zero.
    @Test func whatCannotBeMeasuredIsOne() async throws {
        let run = try await BenchCommand.run([
            "http", "--json", "--workload", "small", "--url", "http://127.0.0.1:1", "--requests", "10",
            "--rounds", "1", "--client", "transport", "--concurrency", "1",
        ])
        #expect(run.status == 1 && run.out.isEmpty && !run.error.isEmpty)
    }

    /// `transport.flat`: memory and descriptors over requests, refused connections and cancelled streams. The soak makes a
    /// hundred times as many.
    @Test(.waits("cancelled streams get 1 s to end, twice"))
    func resourcesStayFlat() async throws {
        let run = try await BenchCommand.run([
            "soak", "--requests", "10000", "--refused", "1000", "--streams", "100",
        ])
        #expect(run.status == 0, "\(run.out)\n\(run.error)")
        let verdicts = run.out.split(separator: "\n").filter { $0.hasPrefix("flat: ") }
        #expect(verdicts.count == 5, "\(run.out)")
        #expect(!run.out.contains("GROWN"))
    }
}
