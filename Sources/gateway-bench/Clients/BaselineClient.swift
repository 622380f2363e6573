import CCurlBaseline
import Foundation

/// The bare loop in C.
enum BaselineClient {
    static func measure(_ job: ClientJob, usesEpoll: Bool, hasToken: Bool = false) throws(BenchmarkFailure)
        -> Measurement
    {
        var result = baseline_result()
        var latencies = [Double](repeating: 0, count: job.requests)
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
                unsafe task.requests = job.requests
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
            throw .failed("libcurl cannot be used, or idle requests did not come to wait")
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
