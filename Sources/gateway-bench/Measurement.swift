/// What one client did in one round, or the medians of several.
struct Measurement: Codable {
    var requestsPerSecond: Double
    var cpuMicrosecondsPerRequest: Double
    var p50Milliseconds: Double
    var p99Milliseconds: Double
    var peakRSSMebibytes: Double
    var errors: Int

    enum CodingKeys: String, CodingKey {
        case requestsPerSecond = "requests_per_second"
        case cpuMicrosecondsPerRequest = "cpu_us_per_request"
        case p50Milliseconds = "p50_ms"
        case p99Milliseconds = "p99_ms"
        case peakRSSMebibytes = "peak_rss_mib"
        case errors
    }

    init(requests: Int, seconds: Double, cpuSeconds: Double, latencies: [Double], errors: Int) {
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
    init?(medianOf rounds: [Measurement]) {
        guard var median = rounds.first else { return nil }
        func middle(_ figure: (Measurement) -> Double) -> Double {
            let sorted = rounds.map(figure).sorted()
            let upper = sorted[sorted.count / 2]
            return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
        }
        median.requestsPerSecond = middle(\.requestsPerSecond)
        median.cpuMicrosecondsPerRequest = middle(\.cpuMicrosecondsPerRequest)
        median.p50Milliseconds = middle(\.p50Milliseconds)
        median.p99Milliseconds = middle(\.p99Milliseconds)
        median.peakRSSMebibytes = middle(\.peakRSSMebibytes)
        median.errors = rounds.reduce(0) { $0 + $1.errors }
        self = median
    }
}
