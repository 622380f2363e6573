import GatewayClient
import GatewayTelemetry
import Glibc

/// Calls while the output of the log blocks for a second: none of them waits, and what is dropped is counted.
struct BlockedSink {
    /// An output that blocks once.
    private final class Output: Sendable {
        private let state = Locked((isFirst: true, lines: 0))

        func write(_ bytes: [UInt8]) {
            let isFirst = state.withLock { state in
                defer { state.isFirst = false }
                return state.isFirst
            }
            if isFirst { sleep(1) }
            // Lines that report drops are not events.
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            let events = lines.count { !$0.contains("log_dropped") }
            state.withLock { $0.lines += events }
        }

        var lineCount: Int { state.withLock { $0.lines } }
    }

    func measure() async throws -> FigureRow {
        let request = try HTTPRequest(.get, "https://api.example.com/v1/books")
        let output = Output()
        let log = JSONLogSink(capacity: 1_000, write: output.write)
        let engine = CallCost.engine(request) { $0.events = log }
        let start = ContinuousClock.now
        var slowest = Duration.zero
        var calls = 0
        while start.duration(to: .now) < .milliseconds(1_200) {
            let begin = ContinuousClock.now
            _ = try await engine.send(request)
            slowest = max(slowest, begin.duration(to: .now))
            calls += 1
        }
        await log.flush()
        let uncounted = calls - output.lineCount - log.droppedCount
        return FigureRow(
            name: "blocked", title: "A log whose output blocks for 1 s", rounds: 1,
            figures: [
                .init(name: "calls", value: Double(calls)),
                .init(name: "dropped", value: Double(log.droppedCount)),
                .init(name: "uncounted", value: Double(abs(uncounted)), goal: .atMost(0)),
                // The scheduler may hold a call up; a wait for the output would take a second.
                .init(name: "slowest_ms", value: slowest / .milliseconds(1), goal: .atMost(200)),
            ])
    }
}
