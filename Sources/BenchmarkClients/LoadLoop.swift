/// Makes requests: so many in flight until so many are done, or all at once.
package enum LoadLoop {
    package typealias Outcome = (latencies: [Double], errors: Int)

    /// Measures what runs inside.
    package static func measure(requests: Int, _ run: () async -> Outcome) async -> Measurement {
        let (started, cpu) = (ProcessUsage.now, ProcessUsage.cpuSeconds)
        let (latencies, errors) = await run()
        let (ended, cpuEnded) = (ProcessUsage.now, ProcessUsage.cpuSeconds)
        return Measurement(
            requests: requests, seconds: ended - started, cpuSeconds: cpuEnded - cpu, latencies: latencies,
            errors: errors)
    }

    /// Keeps so many in flight, with a task for each that is.
    ///
    /// - Parameter send: makes one request; `false` where it failed.
    package static func steady(
        concurrency: Int, requests: Int, _ send: @escaping @Sendable () async -> Bool
    ) async -> Outcome {
        let started = CallNumbers()
        return await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var latencies: [Double] = []
                    latencies.reserveCapacity(requests / concurrency * 2)
                    var errors = 0
                    while started.next() <= requests {
                        let start = ProcessUsage.now
                        if await send() { latencies.append(ProcessUsage.now - start) } else { errors += 1 }
                    }
                    return (latencies, errors)
                }
            }
            var all: Outcome = ([], 0)
            for await part in group {
                all.latencies += part.latencies
                all.errors += part.errors
            }
            return all
        }
    }

    /// Starts all at once, each in a task of its own.
    package static func burst(requests: Int, _ send: @escaping @Sendable () async -> Bool) async -> Outcome {
        let start = ProcessUsage.now
        return await withTaskGroup(of: Double?.self) { group in
            for _ in 0..<requests {
                group.addTask { await send() ? ProcessUsage.now - start : nil }
            }
            var all: Outcome = ([], 0)
            all.latencies.reserveCapacity(requests)
            for await latency in group {
                if let latency { all.latencies.append(latency) } else { all.errors += 1 }
            }
            return all
        }
    }
}
