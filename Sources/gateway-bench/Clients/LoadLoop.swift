import Synchronization

/// Keeps so many requests in flight until so many are done, with a task for each that is in flight.
enum LoadLoop {
    /// Measures a client after warming it up.
    ///
    /// - Parameter send: makes one request; `false` where it failed.
    static func measure(
        concurrency: Int, warmup: Int, requests: Int, _ send: @escaping @Sendable () async -> Bool
    ) async -> Measurement {
        _ = await run(concurrency: concurrency, requests: warmup, send)
        let (started, cpu) = (ProcessUsage.now, ProcessUsage.cpuSeconds)
        let (latencies, errors) = await run(concurrency: concurrency, requests: requests, send)
        let (ended, cpuEnded) = (ProcessUsage.now, ProcessUsage.cpuSeconds)
        return Measurement(
            requests: requests, seconds: ended - started, cpuSeconds: cpuEnded - cpu, latencies: latencies,
            errors: errors)
    }

    private static func run(
        concurrency: Int, requests: Int, _ send: @escaping @Sendable () async -> Bool
    ) async -> (latencies: [Double], errors: Int) {
        let started = Counter()
        return await withTaskGroup(of: (latencies: [Double], errors: Int).self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var latencies: [Double] = []
                    latencies.reserveCapacity(requests / concurrency * 2)
                    var errors = 0
                    while started.next() < requests {
                        let start = ProcessUsage.now
                        if await send() { latencies.append(ProcessUsage.now - start) } else { errors += 1 }
                    }
                    return (latencies, errors)
                }
            }
            var all: (latencies: [Double], errors: Int) = ([], 0)
            for await part in group {
                all.latencies += part.latencies
                all.errors += part.errors
            }
            return all
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
    }
}
