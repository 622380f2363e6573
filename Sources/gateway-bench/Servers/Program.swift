import Foundation

/// Programs of the system.
enum Program {
    /// The path of an installed program, or `nil`.
    static func path(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return directories.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program without input and output.
    ///
    /// - Returns: Whether its exit status is 0.
    static func succeeds(_ path: String, _ arguments: [String]) -> Bool {
        let process = try? ChildProcess(path, arguments, output: .nothing, errors: .nothing)
        return process?.waitUntilExit() == 0
    }
}
