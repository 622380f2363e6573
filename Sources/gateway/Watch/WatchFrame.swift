import GatewayClient

/// The parts of a frame as text. Members that are missing are left out.
enum WatchFrame {
    /// The state of all calls: the severity, rates, durations and counts.
    static func summary(_ frame: JSONValue) -> [String] {
        let sentence = frame["sentence"]
        let window = frame["totals"]?["10s"]
        var parts = [Console.printable(sentence?["severity"]?.string ?? "unknown")]
        if let started = window?["started"]?.double, let seconds = window?["seconds"]?.double, seconds > 0 {
            parts.append("\(decimal(started / seconds)) calls/s")
        }
        if let failed = window?["failed"]?.int, let succeeded = window?["succeeded"]?.int {
            let ended = failed + succeeded
            parts.append("\(ended == 0 ? "0" : decimal(Double(failed) / Double(ended) * 100)) % failed")
        }
        for (name, title) in [("p50_ms", "p50"), ("p95_ms", "p95"), ("p99_ms", "p99")] {
            if let value = window?[name]?.double { parts.append("\(title) \(duration(value))") }
        }
        if let count = window?["in_progress"]?.int { parts.append("\(count) in progress") }
        return parts
    }

    /// What is wrong, the operations, tokens, circuit breakers and failed calls, in lines that have room.
    static func sections(_ frame: JSONValue, columns: Int) -> [String] {
        var lines: [String] = []
        // What follows a break is no sentence of its own.
        let indent = String(repeating: " ", count: columns < 10 ? 0 : 2)
        func sentence(_ text: String) {
            let parts = TerminalText.wrap(Console.printable(text), to: columns - indent.count)
            lines += parts.enumerated().map { $0 == 0 ? $1 : indent + $1 }
        }
        func table(_ name: String, _ rows: [[String]]) { lines += section(name, rows, columns) }
        let problems = frame["problems"]?.array ?? []
        if problems.isEmpty { sentence(frame["sentence"]?["text"]?.string ?? "") }
        for problem in problems {
            sentence("\(problem["severity"]?.string ?? ""): \(problem["text"]?.string ?? "")")
        }
        table("OPERATION", frame["operations"]?.array?.prefix(10).map(operation) ?? [])
        table("TOKEN", frame["tokens"]?.array?.prefix(5).map(token) ?? [])
        table(
            "CIRCUIT",
            frame["breakers"]?.array?.filter { $0["state"]?.string != "closed" }.prefix(5).map {
                [$0["name"]?.string ?? "", $0["state"]?.string ?? ""]
            } ?? [])
        let log = frame["log"]?.array?.suffix(6).reversed() ?? []
        if !log.isEmpty { lines += ["", "LOG"] }
        for line in log { sentence(line["text"]?.string ?? "") }
        return lines
    }

    private static let titles = [
        "OPERATION": ["OPERATION", "CALLS/10S", "FAILED", "P50", "P95", "P99"],
        "TOKEN": ["TOKEN", "VALID FOR", "WAITING", "GENERATION"], "CIRCUIT": ["CIRCUIT", "STATE"],
    ]

    /// A table with an empty line before it; nothing without rows. Where it is too wide, its first column is cut, and then its
    /// last ones are left out.
    private static func section(_ name: String, _ rows: [[String]], _ columns: Int) -> [String] {
        guard !rows.isEmpty, let titles = titles[name] else { return [] }
        let all = ([titles] + rows).map { $0.map(Console.printable) }
        var widths = titles.indices.map { column in
            all.map { $0.indices.contains(column) ? TerminalText.width($0[column]) : 0 }.max() ?? 0
        }
        func rest() -> Int { widths.dropFirst().reduce(0) { $0 + 2 + $1 } }
        while widths.count > 1, min(widths[0], 8) + rest() > columns { widths.removeLast() }
        widths[0] = min(widths[0], columns - rest())
        return [""]
            + all.map { row in
                zip(row, widths).enumerated().map { column, cell in
                    let text = TerminalText.cut(cell.0, to: cell.1)
                    let padding = String(
                        repeating: " ", count: max(0, cell.1 - TerminalText.width(text)))
                    return column == 0 ? text + padding : padding + text
                }.joined(separator: "  ")
            }
    }

    private static func operation(_ value: JSONValue) -> [String] {
        let name = value["id"]?.string ?? "(no operation)"
        guard let window = value["w"]?[0]?.array, window.count >= 5 else {
            return [name, "0", "", "", "", ""]
        }
        return [name, "\(window[0].int ?? 0)", "\(window[1].int ?? 0)"]
            + (2...4).map { window[$0].double.map(duration) ?? "" }
    }

    private static func token(_ value: JSONValue) -> [String] {
        [
            value["label"]?.string ?? "", value["valid_ms"]?.double.map(duration) ?? "none",
            value["waiting"]?.int.map { "\($0)" } ?? "", value["generation"]?.int.map { "\($0)" } ?? "",
        ]
    }

    /// Milliseconds with a unit.
    static func duration(_ milliseconds: Double) -> String {
        if milliseconds < 1_000 { return decimal(milliseconds) + " ms" }
        return milliseconds < 120_000
            ? decimal(milliseconds / 1_000) + " s" : decimal(milliseconds / 60_000) + " min"
    }

    /// A number with one decimal below 10.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return "?" }
        let tenths = Int((value * 10).rounded())
        return value >= 9.95 || tenths % 10 == 0 ? "\(Int(value.rounded()))" : "\(tenths / 10).\(tenths % 10)"
    }
}
