import BenchmarkClients
import CAllocationCounter
import CCurlBaseline
import Glibc

/// A client in C that uses libcurl directly.
struct BaselineClient {
    let job: ClientJob
    let usesEpoll: Bool
    let hasToken: Bool

    static func measure(
        _ job: ClientJob, usesEpoll: Bool, hasToken: Bool = false
    ) throws(BenchmarkFailure) -> Measurement {
        let client = BaselineClient(job: job, usesEpoll: usesEpoll, hasToken: hasToken)
        var measurement = try client.run(requests: job.requests)
        measurement.allocationsPerRequest = try client.allocationsPerRequest()
        return measurement
    }

    /// The difference between two runs, so that the setup and the connections do not count.
    private func allocationsPerRequest() throws(BenchmarkFailure) -> Double? {
        guard allocation_counter_works() != 0, job.workload.shape == .steady else { return nil }
        let requests = min(job.requests, 5_000)
        var counts: [Int] = []
        for requests in [requests, 2 * requests] {
            allocation_counter_start()
            defer { counts.append(allocation_counter_stop()) }
            _ = try run(requests: requests)
        }
        return Double(counts[1] - counts[0]) / Double(requests)
    }

    private func run(requests: Int) throws(BenchmarkFailure) -> Measurement {
        var result = baseline_result()
        var latencies = [Double](repeating: 0, count: requests)
        let upload = job.upload
        let strings = unsafe [
            job.url, job.url("/hold"), job.url("/held"), job.caFile,
            hasToken ? "Authorization: Bearer \(ClientJob.token)" : nil,
        ].map { text in
            unsafe text.flatMap { unsafe strdup($0) }
        }
        defer { unsafe strings.forEach { unsafe free($0) } }
        let code = unsafe latencies.withUnsafeMutableBufferPointer { latencies in
            unsafe upload.withUnsafeBufferPointer { upload in
                var task = unsafe baseline_job()
                unsafe task.url = UnsafePointer(strings[0])
                unsafe task.loop = usesEpoll ? BASELINE_EPOLL : BASELINE_POLL
                unsafe task.concurrency = Int32(job.concurrency)
                unsafe task.warmup = job.warmup
                unsafe task.requests = requests
                unsafe task.is_burst = job.workload.shape == .burst ? 1 : 0
                unsafe task.upload = upload.isEmpty ? nil : UnsafeRawPointer(upload.baseAddress)
                unsafe task.upload_bytes = upload.count
                unsafe task.ca_file = UnsafePointer(strings[3])
                unsafe task.header = UnsafePointer(strings[4])
                unsafe task.is_http2 = job.workload.isHTTP2 ? 1 : 0
                unsafe task.idle = Int32(job.idle)
                unsafe task.idle_url = UnsafePointer(strings[1])
                unsafe task.held_url = UnsafePointer(strings[2])
                unsafe task.latencies = latencies.baseAddress
                return unsafe baseline_run(&task, &result)
            }
        }
        guard code == 0 else {
            throw .failed("libcurl cannot be used, or the idle requests did not reach the server")
        }
        var measurement = Measurement(
            requests: result.completed, seconds: result.seconds, cpuSeconds: result.cpu_seconds,
            latencies: latencies, errors: result.errors)
        if job.idle > 0 {
            measurement.cpuMicrosecondsPerRequestAlone =
                result.cpu_seconds_alone * 1e6 / Double(result.completed)
        }
        if job.workload.shape == .burst { measurement.seconds = result.seconds }
        return measurement
    }
}
