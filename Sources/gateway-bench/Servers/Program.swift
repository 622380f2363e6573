import FoundationEssentials

/// Programs of the system.
enum Program {
    /// The path of an installed program, or `nil`.
    static func path(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return directories.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The path of this program.
    static var own: String { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path }

    /// The path of a program that was built into the folder of this one, or `nil`.
    static func beside(_ name: String) -> String? {
        let path = URL(fileURLWithPath: own).deletingLastPathComponent().appending(path: name).path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// Runs a program without input and output.
    ///
    /// - Returns: Whether its exit status is 0.
    static func succeeds(_ path: String, _ arguments: [String]) -> Bool {
        let process = try? ChildProcess(path, arguments, output: .nothing, errors: .nothing)
        return process?.waitUntilExit() == 0
    }
}
