import BenchmarkClients

/// How long the two took, in rounds that alternate.
struct Timings {
    struct Round {
        private(set) var generated = 0.0
        private(set) var foundation = 0.0

        /// Measures both, one after the other.
        init(
            generated runGenerated: () throws -> Int, foundation runFoundation: () throws -> Int,
            isGeneratedFirst: Bool
        ) throws {
            if isGeneratedFirst { generated = try Self.seconds(runGenerated) }
            foundation = try Self.seconds(runFoundation)
            if !isGeneratedFirst { generated = try Self.seconds(runGenerated) }
        }

        /// Of the processor's time. What is done must have a result, and is not left out.
        private static func seconds(_ work: () throws -> Int) throws -> Double {
            let started = ProcessUsage.cpuSeconds
            let result = try work()
            let seconds = ProcessUsage.cpuSeconds - started
            guard result > 0 else { throw BenchmarkFailure.failed("nothing was read or written") }
            return max(seconds, 1e-6)
        }
    }

    var rounds: [Round] = []

    /// The medians; the ratio is the median of the rounds' ratios.
    func row(_ name: String, _ title: String, bytes: Int) -> FigureRow {
        let generated = FigureRow.median(rounds.map(\.generated))
        let foundation = FigureRow.median(rounds.map(\.foundation))
        return FigureRow(
            name: name, title: title, rounds: rounds.count,
            figures: [
                .init(
                    name: "times_as_fast",
                    value: FigureRow.median(rounds.map { $0.foundation / $0.generated }),
                    goal: .atLeast(3)),
                .init(name: "ms", value: generated * 1e3),
                .init(name: "foundation_ms", value: foundation * 1e3),
                .init(name: "mb_per_second", value: Double(bytes) / generated / 1e6),
                .init(name: "foundation_mb_per_second", value: Double(bytes) / foundation / 1e6),
            ])
    }
}
