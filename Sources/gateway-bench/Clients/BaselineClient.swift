import CCurlBaseline

/// The bare loop in C.
enum BaselineClient {
    static func measure(
        url: String, concurrency: Int, warmup: Int, requests: Int, usesEpoll: Bool
    ) throws(BenchmarkFailure) -> Measurement {
        var result = baseline_result()
        var latencies = [Double](repeating: 0, count: requests)
        let code = unsafe latencies.withUnsafeMutableBufferPointer { latencies in
            unsafe baseline_run(
                url, Int32(concurrency), warmup, requests, usesEpoll ? BASELINE_EPOLL : BASELINE_POLL,
                latencies.baseAddress, &result)
        }
        guard code == 0 else { throw .failed("libcurl cannot be used") }
        return Measurement(
            requests: result.completed, seconds: result.seconds, cpuSeconds: result.cpu_seconds,
            latencies: latencies, errors: result.errors)
    }
}
