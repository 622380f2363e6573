import BenchmarkClients

/// Results for people.
enum Report {
    /// A table for each workload, with ratios to the baseline.
    static func table(_ results: [WorkloadResult], hasColours: Bool) -> String {
        results.map { table($0, hasColours: hasColours) }.joined(separator: "\n\n")
    }

    /// What a table shows besides, where it was measured.
    private static var extras: [(title: String, digits: Int, figure: KeyPath<Measurement, Double?>)] {
        [
            ("seconds", 3, \.seconds), ("MiB/s", 0, \.mebibytesPerSecond),
            ("allocs", 1, \.allocationsPerRequest), ("µs alone", 1, \.cpuMicrosecondsPerRequestAlone),
            ("plain s", 3, \.plainSeconds), ("to plain", 2, \.ratioToPlain),
            ("refreshes", 0, \.tokenRequests), ("replays", 0, \.replays),
        ]
    }

    private static func table(_ result: WorkloadResult, hasColours: Bool) -> String {
        let bold = hasColours ? "\u{1B}[1m" : ""
        let plain = hasColours ? "\u{1B}[0m" : ""
        var lines = ["\(bold)\(result.name), \(result.concurrency) at once\(plain)"]
        let extras = extras.filter { extra in
            result.clients.values.contains { $0[keyPath: extra.figure] != nil }
        }
        lines.append(
            row(
                ["client", "requests/s", "ratio", "CPU µs", "ratio", "p50 ms", "p99 ms", "RSS MiB", "errors"]
                    + extras.map(\.title)))
        let baseline = result.clients[.baseline]
        for client in ClientName.measured {
            guard let figures = result.clients[client] else { continue }
            lines.append(
                row(
                    [
                        client.rawValue, figures.requestsPerSecond.fixed(0),
                        ratio(figures.requestsPerSecond, baseline?.requestsPerSecond),
                        figures.cpuMicrosecondsPerRequest.fixed(1),
                        ratio(figures.cpuMicrosecondsPerRequest, baseline?.cpuMicrosecondsPerRequest),
                        figures.p50Milliseconds.fixed(3), figures.p99Milliseconds.fixed(3),
                        figures.peakRSSMebibytes.fixed(1), String(figures.errors),
                    ]
                        + extras.map { extra in
                            figures[keyPath: extra.figure].map { $0.fixed(extra.digits) } ?? "–"
                        }))
        }
        return lines.joined(separator: "\n")
    }

    private static func row(_ cells: [String]) -> String {
        cells.enumerated().map { index, cell in
            let padding = String(repeating: " ", count: max(0, (index == 0 ? 11 : 10) - cell.count))
            return index == 0 ? cell + padding : padding + cell
        }.joined(separator: " ")
    }

    private static func ratio(_ value: Double, _ base: Double?) -> String {
        guard let base, base > 0 else { return "–" }
        return (value / base).fixed(2)
    }

}
