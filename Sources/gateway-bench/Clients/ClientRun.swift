import Foundation

/// Runs this program again as one client.
enum ClientRun {
    static func run(_ job: ClientJob) throws -> Measurement {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["client"] + job.arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        Children.add(process)
        let line = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        Children.remove(process)
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure.failed(
                "the client '\(job.client)' failed with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Measurement.self, from: line)
    }
}
