import FoundationEssentials
import Glibc

/// The process of one client: it runs one round and prints one line of JSON.
package enum ClientProcess {
    /// Runs the job that the arguments describe, and exits.
    ///
    /// - Parameter measure: runs the round with the client that the job names.
    package static func run(
        _ arguments: [String], _ measure: @Sendable (ClientJob) async throws -> Measurement
    ) async -> Never {
        guard let job = ClientJob(arguments) else { exit(2) }
        Descriptors.raiseLimit()
        if job.isOneAtATime { Processors.leaveFirst() }
        do {
            var measurement = try await measure(job)
            if job.workload.bulkBytes > 0 {
                measurement.mebibytesPerSecond =
                    measurement.requestsPerSecond * Double(job.workload.bulkBytes) / Double(1 << 20)
            }
            try Terminal.printLine(JSONEncoder().encode(measurement))
            exit(0)
        } catch {
            Terminal.complain("\(job.client): \(error)")
        }
        exit(1)
    }
}
