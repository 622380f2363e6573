import Foundation

/// Runs this program again as one client.
enum ClientRun {
    static func run(_ client: String, url: String, concurrency: Int, requests: Int) throws -> Measurement {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["client", client, url, String(concurrency), String(requests)]
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
                "the client '\(client)' failed with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(Measurement.self, from: line)
    }
}
