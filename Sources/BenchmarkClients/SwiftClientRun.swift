import CAllocationCounter

/// Runs the workload of a benchmark with a client in Swift.
package struct SwiftClientRun<Client: BenchClient> {
    private let client: Client
    private let job: ClientJob

    package init(client: Client, job: ClientJob) {
        self.client = client
        self.job = job
    }

    package func measure() async throws(BenchmarkFailure) -> Measurement {
        _ = await LoadLoop.steady(concurrency: job.concurrency, requests: job.warmup, client.send)
        switch job.workload.shape {
        case .steady: return await steady()
        case .burst: return await burst()
        case .besideIdle(let count): return try await besideIdle(count)
        case .revocation: throw .failed("only the stack has tokens")
        }
    }

    private func steady() async -> Measurement {
        await LoadLoop.measure(requests: job.requests) {
            await LoadLoop.steady(concurrency: job.concurrency, requests: job.requests, client.send)
        }
    }

    private func burst() async -> Measurement {
        let started = ProcessUsage.now
        var measurement = await LoadLoop.measure(requests: job.requests) {
            await LoadLoop.burst(requests: job.requests, client.send)
        }
        measurement.seconds = ProcessUsage.now - started
        return measurement
    }

    private func besideIdle(_ count: Int) async throws(BenchmarkFailure) -> Measurement {
        let alone = await steady()
        for _ in 0..<count { Task { [client] in await client.get("/hold") } }
        let deadline = ProcessUsage.now + 60
        while await held() < count {
            guard ProcessUsage.now < deadline else { throw .failed("idle requests did not start to wait") }
        }
        var measurement = await steady()
        measurement.cpuMicrosecondsPerRequestAlone = alone.cpuMicrosecondsPerRequest
        measurement.errors += alone.errors
        return measurement
    }

    private func held() async -> Int {
        let digits = await client.get("/held") ?? []
        return Int(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    /// Counts allocations in a separate run without time measurement.
    package func allocationsPerRequest() async -> Double? {
        guard allocation_counter_works() != 0, job.workload.shape == .steady else { return nil }
        let requests = min(job.requests, 10_000)
        allocation_counter_start()
        _ = await LoadLoop.steady(concurrency: job.concurrency, requests: requests, client.send)
        return Double(allocation_counter_stop()) / Double(requests)
    }
}
