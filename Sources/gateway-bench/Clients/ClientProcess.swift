import Foundation

/// `gateway-bench client …`: one client, one round, one line of JSON.
enum ClientProcess {
    static func main(_ arguments: [String]) async {
        guard let job = ClientJob(arguments) else { exit(2) }
        Descriptors.raiseLimit()
        if job.isOneAtATime { Processors.leaveFirst() }
        do {
            var measurement = try await measure(job)
            if job.workload.bulkBytes > 0 {
                measurement.mebibytesPerSecond =
                    measurement.requestsPerSecond * Double(job.workload.bulkBytes) / Double(1 << 20)
            }
            let line = try JSONEncoder().encode(measurement)
            FileHandle.standardOutput.write(line + [0x0A])
            exit(0)
        } catch BenchmarkFailure.failed(let message) {
            Terminal.complain("\(job.client): \(message)")
            exit(1)
        } catch {
            Terminal.complain("\(job.client): \(error)")
            exit(1)
        }
    }

    private static func measure(_ job: ClientJob) async throws -> Measurement {
        if job.workload.shape == .revocation { return try await RevocationClient(job).measure() }
        switch job.client {
        case "c-libcurl-poll": return try BaselineClient.measure(job, usesEpoll: false)
        case "c-libcurl-epoll": return try BaselineClient.measure(job, usesEpoll: true)
        case "c-bearer-poll": return try BaselineClient.measure(job, usesEpoll: false, hasToken: true)
        case "c-bearer-epoll": return try BaselineClient.measure(job, usesEpoll: true, hasToken: true)
        case ClientName.transport.rawValue: return try await measure(TransportClient(job), job)
        case ClientName.stack.rawValue: return try await measure(StackClient(job), job)
        case ClientName.urlSession.rawValue:
            return try await SwiftClientRun(client: URLSessionClient(job), job: job).measure()
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
