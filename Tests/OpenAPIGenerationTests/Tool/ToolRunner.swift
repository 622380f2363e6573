import Foundation

/// Runs the built executable, with a folder of its own that goes with it.
final class ToolRunner {
    struct Run {
        let status: Int32
        let out: String
        let error: String
    }

    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    deinit { try? FileManager.default.removeItem(at: directory) }

    func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent()
            .appending(path: "gateway-openapi")
        process.arguments = arguments
        return process
    }

    /// Runs the tool, or another executable.
    func run(_ arguments: [String], executable: String? = nil) throws -> Run {
        let process = process(arguments)
        if let executable { process.executableURL = URL(filePath: executable) }
        let (out, error) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = error
        try process.run()
        let outData = out.fileHandleForReading.readDataToEndOfFile()
        let errorData = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, out: String(decoding: outData, as: UTF8.self),
            error: String(decoding: errorData, as: UTF8.self))
    }

    /// Writes a file into the folder; its path.
    func write(_ text: String, _ name: String) throws -> String {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let url = directory.appending(path: name)
        try Data(text.utf8).write(to: url)
        return url.path
    }
}
