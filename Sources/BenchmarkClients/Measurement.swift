/// What one client did in one round, or the medians of several.
package struct Measurement: Codable {
    package var requestsPerSecond: Double
    package var cpuMicrosecondsPerRequest: Double
    package var p50Milliseconds: Double
    package var p99Milliseconds: Double
    package var peakRSSMebibytes: Double
    package var errors: Int
    /// How long all of it took, where that is the question.
    package var seconds: Double?
    /// Content moved, for bulk transfers.
    package var mebibytesPerSecond: Double?
    /// Calls of malloc, calloc and realloc; counted in a run of their own.
    package var allocationsPerRequest: Double?
    /// The same without the idle requests beside it.
    package var cpuMicrosecondsPerRequestAlone: Double?
    /// How long as many calls took whose token was good.
    package var plainSeconds: Double?
    /// `seconds` in parts of `plainSeconds`.
    package var ratioToPlain: Double?
    /// How often a token was asked for.
    package var tokenRequests: Double?
    /// How many requests were sent a second time.
    package var replays: Double?

    package enum CodingKeys: String, CodingKey {
        case requestsPerSecond = "requests_per_second"
        case cpuMicrosecondsPerRequest = "cpu_us_per_request"
        case p50Milliseconds = "p50_ms"
        case p99Milliseconds = "p99_ms"
        case peakRSSMebibytes = "peak_rss_mib"
        case errors
        case seconds
        case mebibytesPerSecond = "mib_per_second"
        case allocationsPerRequest = "allocations_per_request"
        case cpuMicrosecondsPerRequestAlone = "cpu_us_per_request_alone"
        case plainSeconds = "plain_seconds"
        case ratioToPlain = "ratio_to_plain"
        case tokenRequests = "token_requests"
        case replays
    }

    /// The figures that not every workload has.
    private static var optionalFigures: [WritableKeyPath<Measurement, Double?>] {
        [
            \.seconds, \.mebibytesPerSecond, \.allocationsPerRequest, \.cpuMicrosecondsPerRequestAlone,
            \.plainSeconds, \.ratioToPlain, \.tokenRequests, \.replays,
        ]
    }

    package init(requests: Int, seconds: Double, cpuSeconds: Double, latencies: [Double], errors: Int) {
        let sorted = latencies.sorted()
        func percentile(_ share: Double) -> Double {
            sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] * 1e3
        }
        requestsPerSecond = seconds > 0 ? Double(requests) / seconds : 0
        cpuMicrosecondsPerRequest = requests > 0 ? cpuSeconds * 1e6 / Double(requests) : 0
        p50Milliseconds = percentile(0.5)
        p99Milliseconds = percentile(0.99)
        peakRSSMebibytes = ProcessUsage.peakRSSMebibytes
        self.errors = errors
    }

    /// The median of each figure; errors are added up. `nil` of none.
    package init?(medianOf rounds: [Measurement]) {
        guard var median = rounds.first else { return nil }
        func middle(_ figure: (Measurement) -> Double?) -> Double {
            let sorted = rounds.compactMap(figure).sorted()
            let upper = sorted[sorted.count / 2]
            return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
        }
        median.requestsPerSecond = middle(\.requestsPerSecond)
        median.cpuMicrosecondsPerRequest = middle(\.cpuMicrosecondsPerRequest)
        median.p50Milliseconds = middle(\.p50Milliseconds)
        median.p99Milliseconds = middle(\.p99Milliseconds)
        median.peakRSSMebibytes = middle(\.peakRSSMebibytes)
        for figure in Self.optionalFigures where rounds.allSatisfy({ $0[keyPath: figure] != nil }) {
            median[keyPath: figure] = middle { $0[keyPath: figure] }
        }
        median.errors = rounds.reduce(0) { $0 + $1.errors }
        self = median
    }
}
