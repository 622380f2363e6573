import Foundation

/// This program again, as a client that says one line of JSON when it ends, and ends when it hears no more.
final class BenchProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// - Parameter environment: what is added to our own. Secrets go this way: arguments are there for all to see.
    init(_ arguments: [String], environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        Children.add(process)
    }

    /// Tells it to come to an end.
    func stop() { try? input.fileHandleForWriting.close() }

    /// What it says at its end.
    func result<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let line = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        Children.remove(process)
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure.failed("a client failed with status \(process.terminationStatus)")
        }
        return try JSONDecoder().decode(type, from: line)
    }

    /// Runs one to its end.
    static func run<Value: Decodable>(
        _ type: Value.Type, _ arguments: [String], environment: [String: String]
    ) throws -> Value {
        let process = try BenchProcess(arguments, environment: environment)
        return try process.result(type)
    }

    /// What a client's process says of itself.
    static func say(_ value: some Encodable) throws {
        FileHandle.standardOutput.write(try JSONEncoder().encode(value) + [0x0A])
    }
}
