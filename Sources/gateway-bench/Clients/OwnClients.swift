import BenchmarkClients

/// The clients that this program measures in processes of its own.
enum OwnClients {
    static func measure(_ job: ClientJob) async throws -> Measurement {
        if job.workload.shape == .revocation { return try await RevocationClient(job).measure() }
        switch job.client {
        case "c-libcurl-poll": return try BaselineClient.measure(job, usesEpoll: false)
        case "c-libcurl-epoll": return try BaselineClient.measure(job, usesEpoll: true)
        case "c-bearer-poll": return try BaselineClient.measure(job, usesEpoll: false, hasToken: true)
        case "c-bearer-epoll": return try BaselineClient.measure(job, usesEpoll: true, hasToken: true)
        case ClientName.transport.rawValue: return try await measure(TransportClient(job), job)
        case ClientName.stack.rawValue: return try await measure(StackClient(job), job)
        default: throw BenchmarkFailure.failed("unknown client")
        }
    }

    private static func measure(_ client: some BenchClient, _ job: ClientJob) async throws -> Measurement {
        let run = SwiftClientRun(client: client, job: job)
        var measurement = try await run.measure()
        measurement.allocationsPerRequest = await run.allocationsPerRequest()
        return measurement
    }
}
